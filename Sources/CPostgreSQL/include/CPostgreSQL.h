#ifndef STRATUS_POSTGRESQL_H
#define STRATUS_POSTGRESQL_H

// The part of libpq's interface that Stratus uses. PostgreSQL's manual describes these types and
// functions in its chapter "libpq - C Library". Their names, values and layouts are those of
// libpq.so.5, version 14 or newer.
//
// NB: the functions are not those of libpq. They call libpq, and libpq must be loaded before. The
// other declarations have no nullability, so that Swift sees them as it sees libpq's own header.

#include <stddef.h>

/// Loads libpq when it is first called. Any thread may call it at any time.
///
/// Returns NULL if libpq is loaded, and otherwise the reason of the system or of libpq's version,
/// as a text that stays valid.
const char *stratus_libpq_fault(void);

/// The name of the library in the file system.
#ifdef __APPLE__
#define STRATUS_LIBPQ_NAME "libpq.5.dylib"
#else
#define STRATUS_LIBPQ_NAME "libpq.so.5"
#endif

typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

typedef enum {
  CONNECTION_OK = 0,
  CONNECTION_BAD = 1
} ConnStatusType;

typedef enum {
  PGRES_EMPTY_QUERY = 0,
  PGRES_COMMAND_OK = 1,
  PGRES_TUPLES_OK = 2,
  PGRES_COPY_OUT = 3,
  PGRES_COPY_IN = 4,
  PGRES_PIPELINE_SYNC = 10,
  PGRES_PIPELINE_ABORTED = 11
} ExecStatusType;

/// An option of an address.
typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;

/// A notification that another session has sent.
typedef struct pgNotify {
  char *relname;
  int be_pid;
  char *extra;
  struct pgNotify *next;
} PGnotify;

typedef void (*PQnoticeReceiver)(void *arg, const PGresult *res);

// NB: libpq calls functions of these names itself. A visible definition in the program could
// replace its own.
#pragma GCC visibility push(hidden)

// Connections
PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
void PQconninfoFree(PQconninfoOption *options);
PGconn *PQconnectdbParams(
    const char *const *keywords, const char *const *values, int expand_dbname);
void PQfinish(PGconn *conn);
ConnStatusType PQstatus(const PGconn *conn);
char *PQerrorMessage(const PGconn *conn);
int PQsocket(const PGconn *conn);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver receiver, void *arg);
void PQfreemem(void *memory);

// Statements
PGresult *PQexec(PGconn *conn, const char *query);
int PQsendQueryParams(
    PGconn *conn, const char *command, int count, const Oid *types, const char *const *values,
    const int *lengths, const int *formats, int result_format);
int PQsendPrepare(
    PGconn *conn, const char *name, const char *query, int count, const Oid *types);
int PQsendQueryPrepared(
    PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int result_format);

// The pipeline
int PQenterPipelineMode(PGconn *conn);
int PQexitPipelineMode(PGconn *conn);
int PQpipelineSync(PGconn *conn);
int PQsendFlushRequest(PGconn *conn);
int PQflush(PGconn *conn);
int PQconsumeInput(PGconn *conn);
PGnotify *PQnotifies(PGconn *conn);

// Results
PGresult *PQgetResult(PGconn *conn);
ExecStatusType PQresultStatus(const PGresult *res);
char *PQresultErrorField(const PGresult *res, int field);
char *PQcmdTuples(PGresult *res);
int PQntuples(const PGresult *res);
int PQgetisnull(const PGresult *res, int row, int column);
int PQgetlength(const PGresult *res, int row, int column);
char *PQgetvalue(const PGresult *res, int row, int column);
void PQclear(PGresult *res);

// COPY
int PQgetCopyData(PGconn *conn, char **buffer, int async);
int PQputCopyData(PGconn *conn, const char *buffer, int bytes);
int PQputCopyEnd(PGconn *conn, const char *errormsg);

#pragma GCC visibility pop

#endif
