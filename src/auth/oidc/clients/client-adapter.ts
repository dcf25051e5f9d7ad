import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { RegisteredClients } from './registered-clients.service.js';

/** oidc-provider's storage of clients that registered themselves. */
export class ClientAdapter implements Adapter {
  constructor(private readonly clients: RegisteredClients) {}

  upsert(id: string, metadata: AdapterPayload): Promise<void> {
    return this.clients.register(id, metadata);
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.clients.find(id);
  }

  destroy(): Promise<never> {
    return unsupported();
  }

  findByUid(): Promise<never> {
    return unsupported();
  }

  findByUserCode(): Promise<never> {
    return unsupported();
  }

  consume(): Promise<never> {
    return unsupported();
  }

  revokeByGrantId(): Promise<never> {
    return unsupported();
  }
}

/** Registrations are not managed afterwards (RFC 7592 is not offered): unused, they are pruned. */
async function unsupported(): Promise<never> {
  throw new Error('clients are registered and found, nothing else');
}
