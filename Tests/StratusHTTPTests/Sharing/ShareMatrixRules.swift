/// The expected result: "OK", "absent" or an error code.
struct Expectation {
  let cell: Cell

  init(_ cell: Cell) { self.cell = cell }

  private var kind: Kind { cell.kind }

  /// Whether the caller sees the record at the position.
  private var isVisible: Bool {
    if cell.position == .missing { return false }
    if kind == .owner { return true }
    guard kind.participates else { return false }
    return cell.form == .zone || ![.outside, .orphan].contains(cell.position)
  }

  var code: String {
    if kind == .anonymous { return "AUTHENTICATION_REQUIRED" }
    if cell.attempt == .resolve || cell.attempt == .accept { return resolveCode }
    if cell.attempt == .requestAccess { return requestCode }
    if let zoneCode { return zoneCode }
    if kind != .owner, !kind.participates {
      // A user of the kind "elsewhere" participates in another hierarchy of the zone.
      guard kind == .elsewhere, cell.form == .hierarchy else { return "ZONE_NOT_FOUND" }
      return elsewhereCode
    }
    switch cell.attempt {
    case .lookup: return isVisible ? "OK" : "NOT_FOUND"
    case .feed, .query: return isVisible ? "OK" : "absent"
    case .update, .moveOut, .moveShare, .invite, .publish, .block: return saveCode
    case .createBelow: return createCode
    case .delete: return deleteCode
    case .create: return takenCode
    // An operation with a tag never creates a record.
    case .staleUpdate:
      guard isVisible else { return "NOT_FOUND" }
      return saveCode == "OK" ? "CONFLICT" : saveCode
    case .taggedUpdate, .replace: return isVisible ? saveCode : "NOT_FOUND"
    case .taggedDelete: return isVisible ? deleteCode : "NOT_FOUND"
    case .moveIn:
      guard kind.mayWrite else { return "ACCESS_DENIED" }
      return isVisible ? "OK" : "NOT_FOUND"
    // Only the owner can create a share. A zone cannot have shares of both kinds, and a record in a
    // share cannot be shared again.
    case .share:
      guard kind == .owner else { return "ACCESS_DENIED" }
      return cell.form == .hierarchy && cell.position == .outside ? "OK" : "BAD_REQUEST"
    // A participant's new record must belong to the shared hierarchy.
    case .createOrphan:
      guard kind.mayWrite else { return "ACCESS_DENIED" }
      return kind == .owner || cell.form == .zone ? "OK" : "ACCESS_DENIED"
    case .upload: return kind.mayWrite ? "OK" : "ACCESS_DENIED"
    case .resolve, .accept: return resolveCode
    case .requestAccess: return requestCode
    case .lookupZone, .listZones, .databaseFeed, .recordsChanges, .deleteZone: return "OK"
    }
  }

  /// The result of an attempt about the whole zone, or nil for other attempts. A participant who
  /// deletes the zone leaves it.
  private var zoneCode: String? {
    let hasZone =
      kind == .owner || kind.participates || kind == .elsewhere && cell.form == .hierarchy
    switch cell.attempt {
    case .lookupZone, .recordsChanges, .deleteZone: return hasZone ? "OK" : "ZONE_NOT_FOUND"
    case .listZones, .databaseFeed: return hasZone ? "OK" : "absent"
    case .lookup, .query, .feed, .update, .createBelow, .moveOut, .delete, .resolve, .accept,
      .moveShare, .requestAccess, .create, .staleUpdate, .taggedUpdate, .replace, .taggedDelete,
      .moveIn, .createOrphan, .share, .block, .upload, .invite, .publish:
      return nil
    }
  }

  /// The result of the creation of a record whose name may be taken. Names are unique in a zone, so
  /// the answer cannot hide that the name is taken from a caller who may create records.
  private var takenCode: String {
    if isVisible { return "CONFLICT" }
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    if cell.position != .missing { return "CONFLICT" }
    return kind == .owner || cell.form == .zone ? "OK" : "ACCESS_DENIED"
  }

  /// In the cells of the kind `requester`, the share allows requests for access. In all other cells
  /// it does not, and only the requests of the owner and of participants succeed.
  private var requestCode: String {
    switch kind {
    case .owner, .administrator, .writer, .reader, .publicWriter, .publicReader, .requester: "OK"
    // The user can accept the share already.
    case .pending, .left: "BAD_REQUEST"
    case .removed, .elsewhere, .stranger, .anonymous, .withdrawn, .oneTimePending, .blocked:
      "NOT_FOUND"
    }
  }

  private var saveCode: String {
    if cell.position == .share {
      return kind == .owner || kind == .administrator ? "OK" : "ACCESS_DENIED"
    }
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    if kind == .owner { return "OK" }
    if cell.form == .zone { return "OK" }
    switch cell.position {
    case .root: return "OK"
    case .child, .grandchild: return cell.attempt == .moveOut ? "ACCESS_DENIED" : "OK"
    // The update does not create a record, because a hidden record has the name.
    case .outside, .orphan: return "NOT_FOUND"
    // A participant can create a record only below a record of the share.
    case .missing, .share: return "ACCESS_DENIED"
    }
  }

  private var createCode: String {
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    return isVisible ? "OK" : "VALIDATING_REFERENCE_ERROR"
  }

  private var deleteCode: String {
    // A participant that deletes the share leaves the share. Hidden and missing records count as
    // deleted.
    if cell.position == .share || !isVisible { return "OK" }
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    switch cell.position {
    // Only the owner may delete the root. A record with children cannot be deleted.
    case .root:
      return cell.form == .hierarchy && kind != .owner
        ? "ACCESS_DENIED" : "VALIDATING_REFERENCE_ERROR"
    case .child: return "VALIDATING_REFERENCE_ERROR"
    case .grandchild, .outside, .orphan, .share, .missing: return "OK"
    }
  }

  private var resolveCode: String {
    switch kind {
    // An invited user who left the share may accept it again.
    case .owner, .administrator, .writer, .reader, .publicWriter, .publicReader, .pending, .left:
      "OK"
    case .removed, .elsewhere, .stranger, .anonymous, .withdrawn, .oneTimePending, .blocked,
      .requester:
      "NOT_FOUND"
    }
  }

  /// The result for a caller of the kind `elsewhere`. This caller participates only in the
  /// hierarchy of the record at the position `outside`.
  private var elsewhereCode: String {
    let isOwn = cell.position == .outside
    switch cell.attempt {
    case .lookup: return isOwn ? "OK" : "NOT_FOUND"
    case .feed, .query: return isOwn ? "OK" : "absent"
    case .update, .invite, .publish, .block:
      if isOwn { return "OK" }
      // A participant can create neither shares nor records outside its share.
      return cell.position == .missing || cell.position == .share ? "ACCESS_DENIED" : "NOT_FOUND"
    case .moveOut: return "NOT_FOUND"
    case .createBelow: return isOwn ? "OK" : "VALIDATING_REFERENCE_ERROR"
    case .delete: return isOwn ? "ACCESS_DENIED" : "OK"
    case .resolve, .accept, .requestAccess: return "NOT_FOUND"
    case .create: return cell.position == .missing ? "ACCESS_DENIED" : "CONFLICT"
    case .staleUpdate: return isOwn ? "CONFLICT" : "NOT_FOUND"
    case .taggedUpdate, .replace: return isOwn ? "OK" : "NOT_FOUND"
    case .taggedDelete: return isOwn ? "ACCESS_DENIED" : "NOT_FOUND"
    case .moveIn: return "NOT_FOUND"
    case .share, .createOrphan: return "ACCESS_DENIED"
    // The upload: the caller may create records of the type, and a hidden record counts as missing.
    case .upload, .lookupZone, .listZones, .databaseFeed, .recordsChanges, .deleteZone: return "OK"
    // The share is hidden, so the request would create the record. A creation needs a record type.
    case .moveShare: return "BAD_REQUEST"
    }
  }
}
