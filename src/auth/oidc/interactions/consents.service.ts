import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { default as Provider } from 'oidc-provider';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.js';
import { activeMembership, type Principal } from '../../../kernel/principal.js';
import { Sessions } from '../../sessions/sessions.service.js';
import { callBy } from '../current-call.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
type Grant = InstanceType<Provider['Grant']>;

/** What oidc-provider says is not granted yet. */
interface Missing {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** What people have let applications do. A grant is a session, which its owner sees in the list of all. */
@Injectable()
export class Consents {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {}

  /** Grants all that the interaction is about; returns the grant's id. */
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

  private async open(
    provider: Provider,
    { params }: Interaction,
    principal: Principal,
    request: IncomingMessage,
  ): Promise<Grant> {
    const clientId = params.client_id as string;
    const activeOrgSlug = activeMembership(principal)?.orgSlug;
    const userAgent = request.headers['user-agent'];
    const { id, expiresAt } = await this.source.transaction(manager =>
      this.sessions.open(manager, callBy(principal, request), {
        ...{ userId: principal.id, clientId },
        ...(activeOrgSlug !== undefined && { activeOrgSlug }),
        ...(userAgent !== undefined && { userAgent }),
      }),
    );
    const expiresIn = Math.floor(expiresAt.getTime() / 1000) - this.clock.seconds();
    // Its types do not name what its constructor takes.
    const properties: object = { jti: id, accountId: principal.id, clientId, expiresIn };
    return new provider.Grant(properties);
  }
}
