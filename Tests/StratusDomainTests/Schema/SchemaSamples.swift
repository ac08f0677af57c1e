/// Schema files that several tests of the schema language use.
enum SchemaSamples {
  /// A file with every feature of the language, as a person writes it.
  static let exhibition = """
    -- The exhibition app
    define schema

    create role Curator; /* assigned
    by the operator */
    RECORD TYPE Exhibit (
      "___recordID" REFERENCE QUERYABLE SORTABLE, // the app lists all exhibits
      museum REFERENCE QUERYABLE,
      "grant" INT64,
      value NUMBER PREFERRED AS DOUBLE, weight number,
      photos LIST<ASSET>, tags List < String > SEARCHABLE queryable,
      GRANT CREATE TO "_icloud",
      Zone STRING, GRANT WRITE, READ TO Curator,
      photo_data BYTES QUERYABLE SORTABLE,
      where_ ENCRYPTED LOCATION, keywords LIST<ENCRYPTED STRING>,
      GRANT READ TO "_world", GRANT CREATE TO Curator
    );
    RECORD TYPE Users ( roles LIST<INT64>, GRANT READ TO "_world", GRANT WRITE TO "_creator" );
    RECORD TYPE audit (name STRING SORTABLE SEARCHABLE QUERYABLE);
    """

  /// The schema above in the form of Apple's export.
  static let exhibitionExport = """
    DEFINE SCHEMA

        CREATE ROLE Curator;

        RECORD TYPE audit (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE,
            name            STRING QUERYABLE SEARCHABLE SORTABLE
        );

        RECORD TYPE Exhibit (
            Zone            STRING,
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE QUERYABLE SORTABLE,
            "grant"         INT64,
            keywords        LIST<ENCRYPTED STRING>,
            museum          REFERENCE QUERYABLE,
            photo_data      BYTES QUERYABLE SORTABLE,
            photos          LIST<ASSET>,
            tags            LIST<STRING> QUERYABLE SEARCHABLE,
            value           NUMBER PREFERRED AS DOUBLE,
            weight          NUMBER,
            where_          ENCRYPTED LOCATION,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world",
            GRANT READ, CREATE, WRITE TO Curator
        );

        RECORD TYPE Users (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE,
            roles           LIST<INT64>,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );

    """

  /// A minimal schema.
  static let note = """
    DEFINE SCHEMA

        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE,
            "___modTime"  TIMESTAMP QUERYABLE SORTABLE,
            title STRING QUERYABLE SORTABLE SEARCHABLE,
            body STRING SEARCHABLE,
            pinned INT64 QUERYABLE,
            tags LIST<STRING> QUERYABLE,
            picture ASSET,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
    """

  static let noteExport = """
    DEFINE SCHEMA

        RECORD TYPE Note (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE QUERYABLE,
            body            STRING SEARCHABLE,
            picture         ASSET,
            pinned          INT64 QUERYABLE,
            tags            LIST<STRING> QUERYABLE,
            title           STRING QUERYABLE SEARCHABLE SORTABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );

    """
}
