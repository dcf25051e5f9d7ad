import { Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import type { Call } from '../../../base/kernel/call.js';
import type { Page } from '../../../platform/http/list-page.js';
import type { Session } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { displayName, OwnClients } from './clients.service.js';
import { OidcPayloads } from './oidc-payloads.service.js';

/** An application that a person has given access, with the session of that access. */
export interface ConnectedApplication {
  readonly session: Session;
  readonly name: string;
  /** True for clients of the platform. */
  readonly own: boolean;
  readonly scopes: readonly string[];
}

/** The content of a grant of oidc-provider. */
interface GrantPayload extends AdapterPayload {
  readonly openid?: { readonly scope?: string };
  readonly resources?: Readonly<Record<string, string>>;
}

/** The applications that people have given access. Ending the session of an application ends its access. */
@Injectable()
export class Applications {
  constructor(
    private readonly sessions: Sessions,
    private readonly payloads: OidcPayloads,
    private readonly own: OwnClients,
  ) {}

  /** The applications of the caller, newest first. One that was given access twice appears twice. */
  async list({ principal }: Call, page: Page): Promise<[ConnectedApplication[], number]> {
    const [sessions, total] = await this.sessions.listOfApplications(principal.id, page);
    const [grants, clients] = await Promise.all([
      this.payloads.findAll(
        'Grant',
        sessions.map(({ id }) => id),
      ),
      this.payloads.findAll('Client', [...new Set(sessions.map(({ clientId }) => clientId))]),
    ]);
    const connected = sessions.map(session => ({
      session,
      name: this.nameOf(session.clientId, clients.get(session.clientId)),
      own: this.own.has(session.clientId),
      scopes: scopesOf(grants.get(session.id)),
    }));
    return [connected, total];
  }

  /** A client that describes itself is named by its host: its document is not fetched for a list. */
  private nameOf(clientId: string, registered: AdapterPayload | undefined): string {
    const configured = this.own.metadata.find(({ client_id }) => client_id === clientId);
    const clientName = (configured ?? registered)?.client_name as string | undefined;
    if (clientName === undefined && URL.canParse(clientId)) return new URL(clientId).host;
    return displayName({ clientName, clientId });
  }
}

function scopesOf(grant: GrantPayload | undefined): string[] {
  const texts = [grant?.openid?.scope ?? '', ...Object.values(grant?.resources ?? {})];
  return [...new Set(texts.flatMap(text => text.split(' ')).filter(scope => scope !== ''))];
}
