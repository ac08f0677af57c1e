#ifndef STRATUS_CONSOLE_FILES_H
#define STRATUS_CONSOLE_FILES_H

#include <stddef.h>

/// A file of the console's front end, embedded in the program.
struct StratusConsoleFile {
  /// The path below the folder of the files, for example `parts/table.js`.
  const char *path;
  const unsigned char *bytes;
  size_t size;
};

/// Returns the number of files.
size_t stratus_console_files_count(void);

/// Returns a file. The position is less than the number of files.
struct StratusConsoleFile stratus_console_file(size_t position);

#endif
