#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

#include "padless/core/export.h"

namespace padless {

/// Base of everything that padless throws. The message reads "where: what was found, what was
/// expected", with the values, and the way out where one is known.
class PADLESS_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// The shapes of arguments do not fit each other.
class PADLESS_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// A value is outside what is allowed.
class PADLESS_API ValueError : public Error {
 public:
  using Error::Error;
  ~ValueError() override;
};

/// The content of a file is not what its format says.
class PADLESS_API FormatError : public Error {
 public:
  using Error::Error;
  ~FormatError() override;
};

/// A file cannot be opened, read or written.
class PADLESS_API IoError : public Error {
 public:
  using Error::Error;
  ~IoError() override;
};

/// The parts, written one after the other: message("x has ", 3, " rows"). The program's locale is
/// not asked: 1000 is never "1.000".
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

/// Throws ShapeError with message(parts...) unless `holds`.
template <class... Parts>
void require_shape(bool holds, const Parts&... parts) {
  if (!holds) throw ShapeError(message(parts...));
}

/// Throws ValueError with message(parts...) unless `holds`.
template <class... Parts>
void require_value(bool holds, const Parts&... parts) {
  if (!holds) throw ValueError(message(parts...));
}

}  // namespace padless
