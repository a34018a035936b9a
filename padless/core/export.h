// What a shared libpadless shows; everything else is hidden.
#pragma once

#define PADLESS_API [[gnu::visibility("default")]]
