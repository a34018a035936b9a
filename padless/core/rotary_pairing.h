#pragma once

namespace padless {

/// Which columns of a head rotary positions turn together. Weights trained in one convention mean
/// nothing in the other.
enum class RotaryPairing {
  interleaved,  ///< columns 2i and 2i + 1: the paper, GPT-J
  halves        ///< columns i and i + width / 2: GPT-NeoX, Llama as Hugging Face stores it
};

}  // namespace padless
