#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>

/// Calls `each` with the name of every function.
#define FUNCTIONS(each) \
  each(PQconninfoParse) each(PQconninfoFree) each(PQconnectdbParams) each(PQfinish) \
  each(PQstatus) each(PQerrorMessage) each(PQsocket) each(PQsetNoticeReceiver) each(PQfreemem) \
  each(PQexec) each(PQsendQueryParams) each(PQsendPrepare) each(PQsendQueryPrepared) \
  each(PQenterPipelineMode) each(PQexitPipelineMode) each(PQpipelineSync) \
  each(PQsendFlushRequest) each(PQflush) each(PQconsumeInput) each(PQnotifies) \
  each(PQgetResult) each(PQresultStatus) each(PQresultErrorField) each(PQcmdTuples) \
  each(PQntuples) each(PQgetisnull) each(PQgetlength) each(PQgetvalue) each(PQclear) \
  each(PQgetCopyData) each(PQputCopyData) each(PQputCopyEnd)

/// libpq's functions, after `load` has succeeded.
static struct {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
} libpq;

static const char *fault;

static void load(void) {
  // NB: the library is never closed, because libpq and its own libraries keep state of the process.
  void *library = dlopen(STRATUS_LIBPQ_NAME, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    static char reason[512];
    const char *text = dlerror();
    size_t length = 0;
    // NB: the text of dlerror changes with its next call.
    while (text && text[length] && length < sizeof reason - 1) {
      reason[length] = text[length];
      length += 1;
    }
    fault = reason;
    return;
  }
#define FIND(name) \
  libpq.name = (__typeof__(&name))dlsym(library, #name); \
  if (!libpq.name) { \
    fault = "it is older than version 14: it has no " #name; \
    return; \
  }
  FUNCTIONS(FIND)
#undef FIND
}

const char *stratus_libpq_fault(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return fault;
}

PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg) {
  return libpq.PQconninfoParse(conninfo, errmsg);
}

void PQconninfoFree(PQconninfoOption *options) { libpq.PQconninfoFree(options); }

PGconn *PQconnectdbParams(
    const char *const *keywords, const char *const *values, int expand_dbname) {
  return libpq.PQconnectdbParams(keywords, values, expand_dbname);
}

void PQfinish(PGconn *conn) { libpq.PQfinish(conn); }

ConnStatusType PQstatus(const PGconn *conn) { return libpq.PQstatus(conn); }

char *PQerrorMessage(const PGconn *conn) { return libpq.PQerrorMessage(conn); }

int PQsocket(const PGconn *conn) { return libpq.PQsocket(conn); }

PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver receiver, void *arg) {
  return libpq.PQsetNoticeReceiver(conn, receiver, arg);
}

void PQfreemem(void *memory) { libpq.PQfreemem(memory); }

PGresult *PQexec(PGconn *conn, const char *query) { return libpq.PQexec(conn, query); }

int PQsendQueryParams(
    PGconn *conn, const char *command, int count, const Oid *types, const char *const *values,
    const int *lengths, const int *formats, int result_format) {
  return libpq.PQsendQueryParams(
      conn, command, count, types, values, lengths, formats, result_format);
}

int PQsendPrepare(
    PGconn *conn, const char *name, const char *query, int count, const Oid *types) {
  return libpq.PQsendPrepare(conn, name, query, count, types);
}

int PQsendQueryPrepared(
    PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int result_format) {
  return libpq.PQsendQueryPrepared(conn, name, count, values, lengths, formats, result_format);
}

int PQenterPipelineMode(PGconn *conn) { return libpq.PQenterPipelineMode(conn); }

int PQexitPipelineMode(PGconn *conn) { return libpq.PQexitPipelineMode(conn); }

int PQpipelineSync(PGconn *conn) { return libpq.PQpipelineSync(conn); }

int PQsendFlushRequest(PGconn *conn) { return libpq.PQsendFlushRequest(conn); }

int PQflush(PGconn *conn) { return libpq.PQflush(conn); }

int PQconsumeInput(PGconn *conn) { return libpq.PQconsumeInput(conn); }

PGnotify *PQnotifies(PGconn *conn) { return libpq.PQnotifies(conn); }

PGresult *PQgetResult(PGconn *conn) { return libpq.PQgetResult(conn); }

ExecStatusType PQresultStatus(const PGresult *res) { return libpq.PQresultStatus(res); }

char *PQresultErrorField(const PGresult *res, int field) {
  return libpq.PQresultErrorField(res, field);
}

char *PQcmdTuples(PGresult *res) { return libpq.PQcmdTuples(res); }

int PQntuples(const PGresult *res) { return libpq.PQntuples(res); }

int PQgetisnull(const PGresult *res, int row, int column) {
  return libpq.PQgetisnull(res, row, column);
}

int PQgetlength(const PGresult *res, int row, int column) {
  return libpq.PQgetlength(res, row, column);
}

char *PQgetvalue(const PGresult *res, int row, int column) {
  return libpq.PQgetvalue(res, row, column);
}

void PQclear(PGresult *res) { libpq.PQclear(res); }

int PQgetCopyData(PGconn *conn, char **buffer, int async) {
  return libpq.PQgetCopyData(conn, buffer, async);
}

int PQputCopyData(PGconn *conn, const char *buffer, int bytes) {
  return libpq.PQputCopyData(conn, buffer, bytes);
}

int PQputCopyEnd(PGconn *conn, const char *errormsg) {
  return libpq.PQputCopyEnd(conn, errormsg);
}
