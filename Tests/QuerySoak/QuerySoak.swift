import Foundation
import QueryChecks

/// The query test without its test runner, so that it runs in a release build: `scripts/soak`.
@main
struct QuerySoak {
  static func main() async {
    let variables = ProcessInfo.processInfo.environment
    let failures = await QueryCheck(variables: variables, dataSets: 20).run()
    for failure in failures { print(failure) }
    exit(failures.isEmpty ? 0 : 1)
  }
}
