// The front page: includes every public header, room by room, from the ground up.
#pragma once

// core: errors, matrices, threads
#include "padless/core/error.h"
