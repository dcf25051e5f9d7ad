/** The address of this page with the code of an invitation. */
export function joinAddress(code: string): string {
  return `/console/join?${new URLSearchParams({ code })}`;
}

/** The address of the sign-in page that then redirects to the invitation. */
export function signInAndReturn(code: string): string {
  return `/console/sign-in?${new URLSearchParams({ next: joinAddress(code) })}`;
}
