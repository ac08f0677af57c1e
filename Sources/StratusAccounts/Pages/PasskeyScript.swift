/// The script of pages that use passkeys. Only scripts can call an authenticator.
enum PasskeyScript {
  static let path = "/auth/passkeys.js"

  /// Passes the options of the form with the ID `passkey` to the browser, and sends the browser's
  /// answer in the fields of this form. On a sign-in page, the browser also offers passkeys in the
  /// field for the address (conditional mediation).
  static let text = """
    "use strict";
    (() => {
      const form = document.getElementById("passkey");
      const button = document.getElementById("passkey-button");
      const alarm = document.getElementById("passkey-alarm");
      if (!form || !window.PublicKeyCredential) return;
      const decode = (text) => Uint8Array.from(
        atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
      const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      const options = JSON.parse(form.dataset.options);
      options.challenge = decode(options.challenge);
      if (options.user) options.user.id = decode(options.user.id);
      for (const one of options.excludeCredentials ?? []) one.id = decode(one.id);

      function send(credential) {
        const answer = credential.response;
        const values = {
          credential: credential.rawId, client_data: answer.clientDataJSON,
          authenticator_data: answer.authenticatorData, attestation: answer.attestationObject,
          signature: answer.signature, user_handle: answer.userHandle,
        };
        for (const [name, value] of Object.entries(values)) {
          if (value && form.elements[name]) form.elements[name].value = encode(value);
        }
        const keep = document.querySelector("input[name=keep][type=checkbox]");
        if (keep?.checked) form.elements.keep.value = "yes";
        form.submit();
      }

      let waiting = null;
      async function offer() {
        const canOffer = await PublicKeyCredential.isConditionalMediationAvailable?.();
        if (!canOffer || options.user) return;
        waiting = new AbortController();
        try {
          send(await navigator.credentials.get(
            { publicKey: options, mediation: "conditional", signal: waiting.signal }));
        } catch { waiting = null; }
      }

      async function ask() {
        waiting?.abort();
        button.disabled = true;
        alarm.hidden = true;
        try {
          send(await (options.user
            ? navigator.credentials.create({ publicKey: options })
            : navigator.credentials.get({ publicKey: options })));
        } catch (error) {
          button.disabled = false;
          alarm.textContent = error.name === "InvalidStateError"
            ? "This device has a passkey for your account already."
            : "The browser got no passkey. Try again, or use another device.";
          alarm.hidden = false;
        }
      }

      button.hidden = false;
      button.addEventListener("click", (event) => { event.preventDefault(); ask(); });
      offer();
    })();
    """
}
