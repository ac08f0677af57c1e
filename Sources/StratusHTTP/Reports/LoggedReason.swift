import StratusWire

extension Router {
  /// Returns the sentence of an error without the caller's own words, which stand in quotation
  /// marks.
  ///
  /// NB: the sentence about an unknown record type ends with the caller's word, without quotation
  /// marks. No other sentence does so.
  ///
  /// NB: a caller's word may itself contain quotation marks, so everything from the first to the
  /// last one is left out.
  package static func loggedForm(of reason: String) -> String {
    if reason.hasPrefix(Reason.recordTypeNotFound) { return Reason.recordTypeNotFound + "…" }
    let short = reason.prefix(200)
    guard let first = short.firstIndex(of: "'") else { return String(short) }
    // NB: if the sentence was cut inside a quotation, there is no last quotation mark.
    guard short.endIndex == reason.endIndex, let last = short.lastIndex(of: "'"), last > first
    else { return "\(short[...first])…" }
    return "\(short[...first])…\(short[last...])"
  }
}
