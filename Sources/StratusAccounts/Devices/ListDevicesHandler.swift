import StratusDomain
import StratusWire

/// Answers ``ListDevices``. Even the operator needs a code of consent from the user.
struct ListDevicesHandler: ManagementHandler {
  typealias Endpoint = ListDevices

  let accounts: Accounts
  let devices: DeviceReports

  func answer(_ request: ListDevices.Request) async throws(ServerError) -> ListDevices.Response {
    try await accounts.requireContainer(request.containerID)
    let (account, consent) = try await accounts.useConsent(request.code)
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    let user = try await accounts.user(account.id, in: request.containerID)
    try await accounts.recordShownDevices(of: account, at: address)
    let report = try await devices.devices(of: user, at: address)
    accounts.audit.note(
      "the devices of the account '\(account.email)' in \(address.inLog) were shown, with its "
        + "consent")
    return ListDevices.Response(
      userRecordName: user, endsAt: consent.endsAt, devices: report.devices,
      unsavedBytes: report.unsavedBytes)
  }
}
