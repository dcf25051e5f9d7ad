import type { CookieOptions, Response } from 'express';
import type { Settings } from '../config/settings.js';

/** The cookie in which browsers hold their JWT (spec 5.2). */
export const ACCESS_TOKEN_COOKIE = 'access-token';

function cookieOptions(settings: Pick<Settings, 'PUBLIC_URL'>): CookieOptions {
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: settings.PUBLIC_URL.startsWith('https:'),
  };
}

/** Gives the browser a JWT until the JWT expires. */
export function setAccessTokenCookie(
  response: Response,
  settings: Pick<Settings, 'PUBLIC_URL'>,
  token: string,
  expires: Date,
): void {
  response.cookie(ACCESS_TOKEN_COOKIE, token, { ...cookieOptions(settings), expires });
}

export function clearAccessTokenCookie(response: Response, settings: Pick<Settings, 'PUBLIC_URL'>): void {
  response.clearCookie(ACCESS_TOKEN_COOKIE, cookieOptions(settings));
}
