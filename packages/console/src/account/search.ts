/** The search part of the addresses of the account pages. */
export interface SignInSearch {
  /** The page to open afterwards: a path of the console or of the service, never another site. */
  readonly next?: string;
}

export function signInSearch({ next }: Record<string, unknown>): SignInSearch {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

export interface JoinSearch {
  /** The code of an invitation. */
  readonly code?: string;
}

export function joinSearch({ code }: Record<string, unknown>): JoinSearch {
  return code === undefined ? {} : { code: String(code) };
}
