/// A device of the household, as the checks see it.
protocol Device: AnyObject {
  var name: String { get }
  /// The account whose data the device has; nil: no account.
  var account: String? { get }
  /// The contents that its app shows.
  var contents: Contents { get }
  /// The work that is still pending, as text; nil: none.
  var unsettled: String? { get }

  /// Starts the app for the first time.
  func start()
  /// Ends all mishaps for the device.
  func calm()
  /// Ends the device permanently.
  func stop()
}
