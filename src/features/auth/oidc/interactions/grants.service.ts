import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { default as Provider } from 'oidc-provider';
import { Clock } from '../../../../base/kernel/clock.js';
import { activeMembership, type Principal } from '../../../../base/kernel/principal.js';
import { Transactions } from '../../../../platform/database/transactions.js';
import { Sessions } from '../../sessions/sessions.service.js';
import { callBy, currentCall } from '../provider-requests.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
type Grant = InstanceType<Provider['Grant']>;

/** What oidc-provider reports as not granted yet. */
interface Missing {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The access that people have given to applications. A grant has the id of a session, which its owner sees in the list
 * of sessions. The grant ends with the session.
 */
@Injectable()
export class Grants {
  constructor(
    private readonly transactions: Transactions,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {}

  /** Grants everything that the interaction asks for. Returns the id of the grant. */
  async give(
    provider: Provider,
    interaction: Interaction,
    principal: Principal,
    request: IncomingMessage,
  ): Promise<string> {
    const known = interaction.grantId && (await provider.Grant.find(interaction.grantId));
    const grant = known || (await this.open(provider, interaction, principal, request));
    const { missingOIDCScope, missingResourceScopes = {} } = interaction.prompt.details as Missing;
    if (missingOIDCScope !== undefined) grant.addOIDCScope(missingOIDCScope.join(' '));
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
      grant.addResourceScope(resource, scopes.join(' '));
    }
    return grant.save();
  }

  /** Ends the session of a grant, unless it has ended. */
  async end(grantId: string): Promise<void> {
    const session = await this.sessions.findAlive(grantId);
    if (session !== null) await this.sessions.close(currentCall(session.userId), grantId);
  }

  private async open(
    provider: Provider,
    { params }: Interaction,
    principal: Principal,
    request: IncomingMessage,
  ): Promise<Grant> {
    const clientId = params.client_id as string;
    const activeOrgSlug = activeMembership(principal)?.orgSlug;
    const userAgent = request.headers['user-agent'];
    const { id, expiresAt } = await this.transactions.run(manager =>
      this.sessions.open(manager, callBy(principal, request), {
        userId: principal.id,
        clientId,
        ...(activeOrgSlug !== undefined && { activeOrgSlug }),
        ...(userAgent !== undefined && { userAgent }),
      }),
    );
    const expiresIn = Math.floor(expiresAt.getTime() / 1000) - this.clock.seconds();
    // The types of oidc-provider lack these parameters of the constructor.
    const properties: object = { jti: id, accountId: principal.id, clientId, expiresIn };
    return new provider.Grant(properties);
  }
}
