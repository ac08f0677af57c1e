// Sign-in, the first owner's set-up, and the confirmation by password.

import { h, draw } from "./dom.js";
import { call } from "./server.js";
import { keepSession, session } from "./session.js";
import { openDialog } from "./parts/dialog.js";
import { field, requestForm } from "./parts/form.js";

const emailField = (value) => field({
  label: "E-mail", name: "email", type: "email", autocomplete: "username", required: true, value,
});
const passwordField = (autocomplete = "current-password") => field({
  label: "Password", name: "password", type: "password", autocomplete, required: true,
});

const factorField = () => field({
  label: "Code of your app", name: "factor", autocomplete: "one-time-code", spellcheck: "false",
  autocapitalize: "off", hint: "Only if your account has a second factor.",
});

/** Shows the sign-in in the place of a screen. */
export function showSignIn(root, onSignedIn) {
  document.title = "Sign in – Stratus";
  draw(root, h("div", { class: "narrow" }, h("h1", { tabindex: "-1" }, "Sign in"),
    signInForm(onSignedIn),
    h("p", { class: "small" }, "Only members of the server's team can sign in here. ",
      "An owner adds members with ", h("code", {}, "stratus team add"), ".")));
}

function signInForm(onSignedIn) {
  return requestForm({
    label: "Sign in", button: "Sign in",
    fields: [emailField(session.member?.email), passwordField(), factorField()],
    submit: async (values) => {
      keepSession(await call("session/sign-in", values));
      await onSignedIn();
    },
  });
}

/** Shows the form for the first owner. */
export function showSetUp(root, onSignedIn) {
  document.title = "Set up – Stratus";
  draw(root, h("div", { class: "narrow" }, h("h1", { tabindex: "-1" }, "Set up the console"),
    h("p", {}, "This server has no team yet. The server printed a setup code when it started. ",
      "The code proves that you are its operator."),
    requestForm({
      label: "Set up", button: "Create the first owner",
      fields: [
        field({
          label: "Setup code", name: "code", required: true, spellcheck: "false",
          autocapitalize: "characters",
          hint: "It has four groups of four signs, and is valid until the server stops.",
        }),
        emailField(), passwordField("new-password"),
      ],
      submit: async (values) => {
        const code = values.code.toUpperCase().replace(/[^0-9A-Z]/g, "");
        keepSession(await call("session/set-up", { ...values, code }));
        await onSignedIn();
      },
    })));
}

let asking = null;

/**
 * Asks for the sign-in in a dialog, because a session has ended while a screen is open. The screen
 * and the typed text stay.
 */
export function askForSignIn(onSignedIn) {
  asking ??= openDialog("Your session has ended", (close) => [
    h("p", {}, "Sign in again to continue. Nothing that you have typed is lost."),
    signInForm(async () => {
      onSignedIn();
      close(true);
    }),
  ]).then((done) => {
    asking = null;
    return done === true;
  });
  return asking;
}

/** Asks for the password again, before an action that cannot be undone. */
export async function askForPassword() {
  const done = await openDialog("Confirm with your password", (close) => [
    h("p", {}, "This action cannot be undone, so the server asks for your password again."),
    requestForm({
      label: "Confirm", button: "Confirm", fields: [passwordField()],
      submit: async (values) => {
        await call("session/confirm", values);
        close(true);
      },
    }),
  ]);
  return done === true;
}
