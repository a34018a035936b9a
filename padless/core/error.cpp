#include "padless/core/error.h"

namespace padless {

// Defined here, so that each class's type information has one home and is caught across libraries.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
ValueError::~ValueError() = default;
FormatError::~FormatError() = default;
IoError::~IoError() = default;

}  // namespace padless
