#include "padless/train/encoder_names.h"

namespace padless {

const Names<Activation>& activation_names() {
  static const Names<Activation> names = {
      {Activation::relu, "relu"}, {Activation::gelu, "gelu"}, {Activation::gelu_tanh, "gelu-tanh"},
      {Activation::silu, "silu"}, {Activation::tanh, "tanh"}, {Activation::sigmoid, "sigmoid"}};
  return names;
}

const Names<NormKind>& norm_names() {
  static const Names<NormKind> names = {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}};
  return names;
}

const Names<NormPlace>& norm_place_names() {
  static const Names<NormPlace> names = {{NormPlace::pre, "pre"}, {NormPlace::post, "post"}};
  return names;
}

const Names<Positions>& position_names() {
  static const Names<Positions> names = {{Positions::learned, "learned"},
                                         {Positions::sinusoidal, "sinusoidal"},
                                         {Positions::rope, "rope"},
                                         {Positions::alibi, "alibi"},
                                         {Positions::none, "none"}};
  return names;
}

const Names<EncoderPooling>& pooling_names() {
  static const Names<EncoderPooling> names = {
      {EncoderPooling::mean, "mean"},
      {EncoderPooling::max, "max"},
      {EncoderPooling::first, "first"},
      {EncoderPooling::additive_attention, "additive-attention"},
      {EncoderPooling::per_token, "per-token"}};
  return names;
}

const Names<EncoderPooling>& text_pooling_names() {
  static const Names<EncoderPooling> names = [] {
    Names<EncoderPooling> all = pooling_names();
    std::erase_if(all, [](const auto& one) { return one.first == EncoderPooling::per_token; });
    return all;
  }();
  return names;
}

}  // namespace padless
