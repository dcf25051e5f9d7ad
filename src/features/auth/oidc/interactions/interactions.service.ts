import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { InteractionResults, default as Provider } from 'oidc-provider';
import { invalid, PlatformError } from '../../../../base/kernel/errors.js';
import { activeMembership } from '../../../../base/kernel/principal.js';
import { Secrets } from '../../../../platform/config/secrets.js';
import { Settings } from '../../../../platform/config/settings.js';
import { sendPage } from '../../../../platform/http/html-page.js';
import type { PlatformRequest } from '../../../../platform/http/platform-request.js';
import { Providers } from '../../../orgs/sso/providers.service.js';
import { consoleSignIn } from '../../console-sign-in.js';
import { AuthorizationServer } from '../authorization-server.service.js';
import { BrowserSessions, type SignedIn } from '../browser-sessions.service.js';
import { displayName, OwnClients } from '../clients.service.js';
import { scopesFor } from '../metadata/scopes.js';
import { mountedRequest, type ReadBody } from '../provider-requests.js';
import { Grants } from './grants.service.js';
import { type ConsentRequest, consentPage, errorPage, signInPage } from './pages.js';

/** Reasons of oidc-provider that require a new sign-in although somebody is signed in. */
const NEW_SIGN_IN_REASONS = ['login_prompt', 'max_age'];

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** An unfinished interaction that began in this browser. */
interface Pending {
  readonly provider: Provider;
  readonly interaction: Interaction;
  /** The request in the form that oidc-provider needs. */
  readonly mounted: IncomingMessage;
  readonly response: Response;
}

/** Asks a person to sign in and to consent before an application gets a code. */
@Injectable()
export class Interactions {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly browsers: BrowserSessions,
    private readonly providers: Providers,
    private readonly grants: Grants,
    private readonly own: OwnClients,
    private readonly settings: Settings,
    private readonly secrets: Secrets,
  ) {}

  /** Shows the next page. A person who is signed in already continues without the sign-in page. */
  async show(request: PlatformRequest, response: Response): Promise<void> {
    const pending = await this.pending(request, response);
    if (pending === undefined) return sendPage(response, EXPIRED, 400);
    const signedIn = await this.goodSignIn(pending);
    if (signedIn === undefined) return this.askToSignIn(pending);
    const { interaction } = pending;
    if (interaction.prompt.name === 'login') return finish(pending, loginOf(signedIn));
    if (interaction.session?.accountId !== signedIn.principal.id)
      return sendPage(response, OTHER_PERSON, 403);
    sendPage(response, consentPage(await this.consentRequest(pending, signedIn)));
  }

  /** Handles the form of the consent page. */
  async decide(request: PlatformRequest, response: Response, { csrf, decision }: ReadBody): Promise<void> {
    const pending = await this.pending(request, response);
    if (pending === undefined) return sendPage(response, EXPIRED, 400);
    const signedIn = await this.goodSignIn(pending);
    const { interaction, provider, mounted } = pending;
    if (signedIn?.principal.id !== interaction.session?.accountId || interaction.prompt.name !== 'consent') {
      return this.show(request, response);
    }
    const { principal } = signedIn as SignedIn;
    if (!isCsrfToken(csrf, this.csrfToken(interaction, principal.sessionId))) {
      throw new PlatformError(
        'CsrfRefused',
        'The form was not sent from the consent page. Open the consent page again.',
      );
    }
    if (decision === 'deny') return finish(pending, DENIED);
    if (decision !== 'allow') throw invalid('decision: expects allow or deny');
    const grantId = await this.grants.give(provider, interaction, principal, mounted);
    await finish(pending, { consent: { grantId } });
  }

  /** The interaction; undefined when it has ended or began in another browser. */
  private async pending(request: PlatformRequest, response: Response): Promise<Pending | undefined> {
    const provider = await this.server.provider();
    const mounted = mountedRequest(request, this.settings.PUBLIC_URL);
    try {
      const interaction = await provider.interactionDetails(mounted, response);
      return interaction.uid === request.params.uid
        ? { provider, interaction, mounted, response }
        : undefined;
    } catch (error) {
      if ((error as { error?: unknown }).error === 'invalid_request') return undefined;
      throw error;
    }
  }

  /** The person who is signed in, if the sign-in is as recent as the application requires. */
  private async goodSignIn({ interaction, mounted }: Pending): Promise<SignedIn | undefined> {
    const signedIn = await this.browsers.signedIn(mounted);
    const mustBeNew = interaction.prompt.reasons.some(reason => NEW_SIGN_IN_REASONS.includes(reason));
    return mustBeNew && signedIn !== undefined && seconds(signedIn.since) < interaction.iat
      ? undefined
      : signedIn;
  }

  private async askToSignIn({ provider, interaction, response }: Pending): Promise<void> {
    const here = addressOf(interaction);
    // Nobody is signed in, or not recently enough, or not with an account that may authorize clients.
    const signIn = consoleSignIn(this.settings, { next: here, again: true });
    if (signIn !== undefined) {
      response.setHeader('Cache-Control', 'no-store');
      response.redirect(303, signIn);
      return;
    }
    const client = await clientOf(provider, interaction);
    sendPage(response, signInPage(here, client.name, await this.providers.listed()));
  }

  private async consentRequest(
    { provider, interaction }: Pending,
    { principal }: SignedIn,
  ): Promise<ConsentRequest> {
    const client = await clientOf(provider, interaction);
    const own = this.own.has(client.id);
    const publicUrl = this.settings.PUBLIC_URL;
    const grantable = scopesFor({ own });
    const { redirect_uri, scope, resource } = interaction.params;
    return {
      action: addressOf(interaction),
      csrfToken: this.csrfToken(interaction, principal.sessionId),
      client: { ...client, own },
      redirectUri: redirect_uri === undefined ? undefined : String(redirect_uri),
      scopes: String(scope ?? '')
        .split(' ')
        .filter(each => grantable.includes(each)),
      resources: [resource ?? publicUrl].flat().map(String),
      person: principal.email ?? principal.id,
      org: activeMembership(principal)?.orgName,
    };
  }

  private csrfToken({ uid }: Interaction, sessionId = ''): string {
    return csrfToken(this.secrets.derive('oidc-consent'), uid, sessionId);
  }
}

const EXPIRED = errorPage('invalid_request', 'The request has expired, or was made in another browser.');
const OTHER_PERSON = errorPage(
  'access_denied',
  'Another user has signed in with this browser in the meantime.',
);
const DENIED = { error: 'access_denied', error_description: 'the user does not allow this' };

function addressOf({ uid }: Interaction): string {
  return `/oidc/interaction/${uid}`;
}

function finish({ provider, mounted, response }: Pending, result: InteractionResults): Promise<void> {
  return provider.interactionFinished(mounted, response, result);
}

function loginOf({ principal, since }: SignedIn): InteractionResults {
  return { login: { accountId: principal.id, ts: seconds(since) } };
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

async function clientOf(
  provider: Provider,
  { params }: Interaction,
): Promise<{ readonly id: string; readonly name: string }> {
  const id = String(params.client_id);
  const client = await provider.Client.find(id);
  if (client === undefined) throw new PlatformError('NotFound', `There is no client ${id}.`);
  return { id, name: displayName(client) };
}

/** The token proves that a form came from our page. It is valid for one interaction and one session. */
function csrfToken(key: Buffer, uid: string, sessionId: string): string {
  return createHmac('sha256', key).update(`${uid} ${sessionId}`).digest('base64url');
}

/** Compares in constant time. */
function isCsrfToken(sent: unknown, expected: string): boolean {
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
