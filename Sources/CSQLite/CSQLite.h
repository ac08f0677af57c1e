// SQLite's own header, and a call that Swift cannot make: the called function has a variable number
// of arguments.
#ifndef STRATUS_SQLITE_H
#define STRATUS_SQLITE_H

#include <sqlite3.h>

/// Makes a connection refuse strings in double quotes. Only names may then have double quotes.
///
/// By default, SQLite reads a name in double quotes as a string if there is no such column. A
/// misspelt name would then be no error.
static inline void stratus_sqlite_refuse_quoted_strings(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

#endif
