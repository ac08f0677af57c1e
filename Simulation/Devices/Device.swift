/// The parts of a simulated device that the checks use.
protocol Device: AnyObject {
  var name: String { get }
  /// The account whose data the device has, or nil if there is none.
  var account: String? { get }
  /// The contents that the app shows.
  var contents: Contents { get }
  /// Describes the work that is still pending. nil if there is none.
  var unsettled: String? { get }

  /// Starts the app for the first time.
  func start()
  /// Ends all mishaps for the device.
  func calm()
  /// Ends the device permanently.
  func stop()
}
