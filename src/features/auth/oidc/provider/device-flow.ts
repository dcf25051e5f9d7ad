import ipaddr from 'ipaddr.js';
import type { Client, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { PlatformRequest } from '../../../../platform/http/platform-request.js';
import { displayName } from '../clients.service.js';
import {
  connectedPage,
  deviceCodePage,
  deviceConfirmPage,
  errorPage,
  showPage,
} from '../interactions/pages.js';

/** Time for a person to open the page, sign in and decide (RFC 8628, 3.2). */
export const DEVICE_CODE_SECONDS = 600;

/** What the page says after a user code was refused, by the name of the error in oidc-provider. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoCodeError: 'Enter the code that your device shows.',
  NotFoundError: 'This code is unknown or has expired. Check it, or let your device make a new one.',
  ExpiredError: 'This code has expired. Let your device make a new one.',
  AlreadyUsedError: 'This code was used already. Let your device make a new one.',
  AbortedError: 'The device does not get access. You can close this page.',
  InvalidRequest: 'This page was open for too long. Enter the code again.',
};

/** The origin of a request for a device code. */
export interface DeviceOrigin {
  readonly address: string;
  readonly place: string;
}

/**
 * Sign-in on a device without a browser (RFC 8628). The device shows a user code. The person enters it in a browser,
 * sees which client asked for it and from where, signs in and consents.
 */
export const deviceFlow: NonNullable<NonNullable<Configuration['features']>['deviceFlow']> = {
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  deviceInfo: ({ req }) => ({ ...originOf((req as Partial<PlatformRequest>).ip) }),
  userCodeInputSource: (ctx, _form, _out, error) => {
    const refusal = error && REFUSALS[error.name];
    if (error !== undefined && refusal === undefined) {
      return showPage(ctx, errorPage('server_error', 'The code was not checked. Enter it again.'));
    }
    showPage(ctx, deviceCodePage({ secret: secretOf(ctx), refusal }));
  },
  userCodeConfirmSource: (ctx, _form, client: Client, info, userCode) => {
    const origin = info as unknown as DeviceOrigin;
    showPage(
      ctx,
      deviceConfirmPage({ secret: secretOf(ctx), client: displayName(client), userCode, origin }),
    );
  },
  successSource: ctx => showPage(ctx, connectedPage(ctx.oidc.client && displayName(ctx.oidc.client))),
};

/** The token that binds a form to the browser's session. oidc-provider makes and checks it. */
function secretOf({ oidc }: KoaContextWithOIDC): string {
  return (oidc.session as unknown as { state: { secret: string } }).state.secret;
}

/** The address that a request came from, and what kind of network it belongs to. */
export function originOf(ip: string | undefined): DeviceOrigin {
  if (ip === undefined || !ipaddr.isValid(ip))
    return { address: 'an unknown address', place: 'an unknown place' };
  const parsed = ipaddr.process(ip);
  const address = parsed.toString();
  const range = parsed.range();
  if (range === 'loopback') return { address, place: 'the computer that runs this service' };
  if (PRIVATE_RANGES.has(range)) return { address, place: 'a private network' };
  return { address, place: 'the internet' };
}

const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
]);
