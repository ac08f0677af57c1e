/// A device of the household, as the checks see it.
protocol Device: AnyObject {
  var name: String { get }
  /// Whose data it has; nil: nobody's.
  var account: String? { get }
  /// What its app shows.
  var contents: Contents { get }
  /// What it still means to do, in words; nil: nothing.
  var unsettled: String? { get }

  /// Starts the app for the first time.
  func start()
  /// Nothing goes wrong with it from now on.
  func calm()
  /// Ends it for good.
  func stop()
}
