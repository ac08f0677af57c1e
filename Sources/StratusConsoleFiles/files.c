// Written by scripts/console-files.

#include "include/StratusConsoleFiles.h"

// NB: #embed is a part of C23, and clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char access_apiTokens_js[] = {
#embed "Files/access/apiTokens.js"
};

static const unsigned char access_containers_js[] = {
#embed "Files/access/containers.js"
};

static const unsigned char access_serverKeys_js[] = {
#embed "Files/access/serverKeys.js"
};

static const unsigned char address_js[] = {
#embed "Files/address.js"
};

static const unsigned char commands_js[] = {
#embed "Files/commands.js"
};

static const unsigned char dom_js[] = {
#embed "Files/dom.js"
};

static const unsigned char fields_csv_js[] = {
#embed "Files/fields/csv.js"
};

static const unsigned char fields_editor_js[] = {
#embed "Files/fields/editor.js"
};

static const unsigned char fields_show_js[] = {
#embed "Files/fields/show.js"
};

static const unsigned char fields_types_js[] = {
#embed "Files/fields/types.js"
};

static const unsigned char fields_values_js[] = {
#embed "Files/fields/values.js"
};

static const unsigned char frame_js[] = {
#embed "Files/frame.js"
};

static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};

static const unsigned char index_html[] = {
#embed "Files/index.html"
};

static const unsigned char keys_js[] = {
#embed "Files/keys.js"
};

static const unsigned char live_js[] = {
#embed "Files/live.js"
};

static const unsigned char main_js[] = {
#embed "Files/main.js"
};

static const unsigned char parts_announce_js[] = {
#embed "Files/parts/announce.js"
};

static const unsigned char parts_chart_js[] = {
#embed "Files/parts/chart.js"
};

static const unsigned char parts_dialog_js[] = {
#embed "Files/parts/dialog.js"
};

static const unsigned char parts_form_js[] = {
#embed "Files/parts/form.js"
};

static const unsigned char parts_page_js[] = {
#embed "Files/parts/page.js"
};

static const unsigned char parts_secret_js[] = {
#embed "Files/parts/secret.js"
};

static const unsigned char parts_table_js[] = {
#embed "Files/parts/table.js"
};

static const unsigned char people_devices_js[] = {
#embed "Files/people/devices.js"
};

static const unsigned char people_permissions_js[] = {
#embed "Files/people/permissions.js"
};

static const unsigned char people_quotas_js[] = {
#embed "Files/people/quotas.js"
};

static const unsigned char people_roles_js[] = {
#embed "Files/people/roles.js"
};

static const unsigned char people_team_js[] = {
#embed "Files/people/team.js"
};

static const unsigned char people_users_js[] = {
#embed "Files/people/users.js"
};

static const unsigned char records_bulk_js[] = {
#embed "Files/records/bulk.js"
};

static const unsigned char records_conflicts_js[] = {
#embed "Files/records/conflicts.js"
};

static const unsigned char records_copyRequest_js[] = {
#embed "Files/records/copyRequest.js"
};

static const unsigned char records_deleteByQuery_js[] = {
#embed "Files/records/deleteByQuery.js"
};

static const unsigned char records_exports_js[] = {
#embed "Files/records/exports.js"
};

static const unsigned char records_fieldOrder_js[] = {
#embed "Files/records/fieldOrder.js"
};

static const unsigned char records_imports_js[] = {
#embed "Files/records/imports.js"
};

static const unsigned char records_query_js[] = {
#embed "Files/records/query.js"
};

static const unsigned char records_queryForm_js[] = {
#embed "Files/records/queryForm.js"
};

static const unsigned char records_recordEditor_js[] = {
#embed "Files/records/recordEditor.js"
};

static const unsigned char records_recordTable_js[] = {
#embed "Files/records/recordTable.js"
};

static const unsigned char records_records_js[] = {
#embed "Files/records/records.js"
};

static const unsigned char records_save_js[] = {
#embed "Files/records/save.js"
};

static const unsigned char records_sharing_js[] = {
#embed "Files/records/sharing.js"
};

static const unsigned char records_subscriptions_js[] = {
#embed "Files/records/subscriptions.js"
};

static const unsigned char records_zones_js[] = {
#embed "Files/records/zones.js"
};

static const unsigned char refresh_js[] = {
#embed "Files/refresh.js"
};

static const unsigned char schema_deploy_js[] = {
#embed "Files/schema/deploy.js"
};

static const unsigned char schema_draft_js[] = {
#embed "Files/schema/draft.js"
};

static const unsigned char schema_fieldsView_js[] = {
#embed "Files/schema/fieldsView.js"
};

static const unsigned char schema_highlight_js[] = {
#embed "Files/schema/highlight.js"
};

static const unsigned char schema_indexes_js[] = {
#embed "Files/schema/indexes.js"
};

static const unsigned char schema_printSchema_js[] = {
#embed "Files/schema/printSchema.js"
};

static const unsigned char schema_report_js[] = {
#embed "Files/schema/report.js"
};

static const unsigned char schema_retirements_js[] = {
#embed "Files/schema/retirements.js"
};

static const unsigned char schema_rolesView_js[] = {
#embed "Files/schema/rolesView.js"
};

static const unsigned char schema_schema_js[] = {
#embed "Files/schema/schema.js"
};

static const unsigned char schema_textView_js[] = {
#embed "Files/schema/textView.js"
};

static const unsigned char screens_js[] = {
#embed "Files/screens.js"
};

static const unsigned char server_js[] = {
#embed "Files/server.js"
};

static const unsigned char session_js[] = {
#embed "Files/session.js"
};

static const unsigned char signIn_js[] = {
#embed "Files/signIn.js"
};

static const unsigned char style_css[] = {
#embed "Files/style.css"
};

static const unsigned char tables_css[] = {
#embed "Files/tables.css"
};

static const unsigned char time_js[] = {
#embed "Files/time.js"
};

static const unsigned char watching_audit_js[] = {
#embed "Files/watching/audit.js"
};

static const unsigned char watching_lacks_js[] = {
#embed "Files/watching/lacks.js"
};

static const unsigned char watching_overview_js[] = {
#embed "Files/watching/overview.js"
};

static const unsigned char watching_requests_js[] = {
#embed "Files/watching/requests.js"
};

static const unsigned char watching_telemetry_js[] = {
#embed "Files/watching/telemetry.js"
};

#define FILE_ENTRY(path, bytes) {path, bytes, sizeof bytes},

static const struct StratusConsoleFile files[] = {
FILE_ENTRY("access/apiTokens.js", access_apiTokens_js)
FILE_ENTRY("access/containers.js", access_containers_js)
FILE_ENTRY("access/serverKeys.js", access_serverKeys_js)
FILE_ENTRY("address.js", address_js)
FILE_ENTRY("commands.js", commands_js)
FILE_ENTRY("dom.js", dom_js)
FILE_ENTRY("fields/csv.js", fields_csv_js)
FILE_ENTRY("fields/editor.js", fields_editor_js)
FILE_ENTRY("fields/show.js", fields_show_js)
FILE_ENTRY("fields/types.js", fields_types_js)
FILE_ENTRY("fields/values.js", fields_values_js)
FILE_ENTRY("frame.js", frame_js)
FILE_ENTRY("icon.svg", icon_svg)
FILE_ENTRY("index.html", index_html)
FILE_ENTRY("keys.js", keys_js)
FILE_ENTRY("live.js", live_js)
FILE_ENTRY("main.js", main_js)
FILE_ENTRY("parts/announce.js", parts_announce_js)
FILE_ENTRY("parts/chart.js", parts_chart_js)
FILE_ENTRY("parts/dialog.js", parts_dialog_js)
FILE_ENTRY("parts/form.js", parts_form_js)
FILE_ENTRY("parts/page.js", parts_page_js)
FILE_ENTRY("parts/secret.js", parts_secret_js)
FILE_ENTRY("parts/table.js", parts_table_js)
FILE_ENTRY("people/devices.js", people_devices_js)
FILE_ENTRY("people/permissions.js", people_permissions_js)
FILE_ENTRY("people/quotas.js", people_quotas_js)
FILE_ENTRY("people/roles.js", people_roles_js)
FILE_ENTRY("people/team.js", people_team_js)
FILE_ENTRY("people/users.js", people_users_js)
FILE_ENTRY("records/bulk.js", records_bulk_js)
FILE_ENTRY("records/conflicts.js", records_conflicts_js)
FILE_ENTRY("records/copyRequest.js", records_copyRequest_js)
FILE_ENTRY("records/deleteByQuery.js", records_deleteByQuery_js)
FILE_ENTRY("records/exports.js", records_exports_js)
FILE_ENTRY("records/fieldOrder.js", records_fieldOrder_js)
FILE_ENTRY("records/imports.js", records_imports_js)
FILE_ENTRY("records/query.js", records_query_js)
FILE_ENTRY("records/queryForm.js", records_queryForm_js)
FILE_ENTRY("records/recordEditor.js", records_recordEditor_js)
FILE_ENTRY("records/recordTable.js", records_recordTable_js)
FILE_ENTRY("records/records.js", records_records_js)
FILE_ENTRY("records/save.js", records_save_js)
FILE_ENTRY("records/sharing.js", records_sharing_js)
FILE_ENTRY("records/subscriptions.js", records_subscriptions_js)
FILE_ENTRY("records/zones.js", records_zones_js)
FILE_ENTRY("refresh.js", refresh_js)
FILE_ENTRY("schema/deploy.js", schema_deploy_js)
FILE_ENTRY("schema/draft.js", schema_draft_js)
FILE_ENTRY("schema/fieldsView.js", schema_fieldsView_js)
FILE_ENTRY("schema/highlight.js", schema_highlight_js)
FILE_ENTRY("schema/indexes.js", schema_indexes_js)
FILE_ENTRY("schema/printSchema.js", schema_printSchema_js)
FILE_ENTRY("schema/report.js", schema_report_js)
FILE_ENTRY("schema/retirements.js", schema_retirements_js)
FILE_ENTRY("schema/rolesView.js", schema_rolesView_js)
FILE_ENTRY("schema/schema.js", schema_schema_js)
FILE_ENTRY("schema/textView.js", schema_textView_js)
FILE_ENTRY("screens.js", screens_js)
FILE_ENTRY("server.js", server_js)
FILE_ENTRY("session.js", session_js)
FILE_ENTRY("signIn.js", signIn_js)
FILE_ENTRY("style.css", style_css)
FILE_ENTRY("tables.css", tables_css)
FILE_ENTRY("time.js", time_js)
FILE_ENTRY("watching/audit.js", watching_audit_js)
FILE_ENTRY("watching/lacks.js", watching_lacks_js)
FILE_ENTRY("watching/overview.js", watching_overview_js)
FILE_ENTRY("watching/requests.js", watching_requests_js)
FILE_ENTRY("watching/telemetry.js", watching_telemetry_js)
};

size_t stratus_console_files_count(void) { return sizeof files / sizeof files[0]; }

struct StratusConsoleFile stratus_console_file(size_t position) { return files[position]; }
