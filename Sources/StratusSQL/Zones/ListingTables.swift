/// The table of the histories of databases, added with layout 5.
enum ListingTables {
  /// A listing is a zone's position in the history of a database. The database is the owner's
  /// database, or the shared database of a participant. Listings are in a separate table with
  /// narrow rows, because every save in a custom zone changes a listing.
  ///
  /// `listed` is a number from the counter of the database. In a shared database, `seen` is the
  /// newest change of the zone at the time of the listing. `participation` is 0 in the owner's
  /// database.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE listings (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      listed BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      participation BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      deletion_reason BIGINT NOT NULL,
      deleted_at BIGINT,
      PRIMARY KEY (database, zone))\(dialect.keyedTable);
    CREATE INDEX listings_listed ON listings (database, listed);
    CREATE INDEX listings_forgettable ON listings (deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX listings_shared ON listings (zone) WHERE participation <> 0;
    """
  }

  /// The SQL condition for a row of `zones` that is true if no history lists the zone.
  ///
  /// NB: `participation <> 0` repeats the condition of the index `listings_shared`, which would
  /// otherwise not be used.
  static let isUnlisted = """
    NOT EXISTS (
      SELECT 1 FROM listings WHERE listings.database = zones.database
        AND listings.zone = zones.zone)
      AND NOT EXISTS (
        SELECT 1 FROM listings WHERE listings.zone = zones.zone AND participation <> 0)
    """
}
