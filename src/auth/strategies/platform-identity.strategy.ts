import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import { IDENTITY_HEADER } from '../../http/identity-source.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import type { Principal } from '../../kernel/principal.js';
import { CredentialCache } from '../credential-cache.js';
import { IdentifiedCallers } from '../identities/identified-callers.service.js';
import type { IdentityClaims } from '../identities/identity-jwt.js';
import { PlatformIdentities } from '../identities/platform-identities.service.js';
import { unauthorized } from '../sent-credential.js';

/**
 * Signed identity from `x-platform-identity`, which only a runtime behind a gateway takes; yields the caller whom the
 * gateway has seen, as its rows are now.
 */
@Injectable()
export class PlatformIdentityStrategy extends PassportStrategy(CustomStrategy, 'platform-identity') {
  /** An identity lasts for a minute, what it has begun may last longer: later questions are about the credential behind it. */
  private readonly proven = new WeakMap<PlatformRequest, IdentityClaims>();

  constructor(
    private readonly identities: PlatformIdentities,
    private readonly callers: IdentifiedCallers,
    private readonly cache: CredentialCache,
  ) {
    super();
  }

  async validate(request: PlatformRequest): Promise<Principal> {
    const identity = this.proven.get(request) ?? (await this.prove(request));
    const { iat: _, exp: __, ...lasting } = identity;
    const entry = `platform-identity ${request.ip} ${JSON.stringify(lasting)}`;
    return (
      this.cache.get(entry) ??
      this.cache.verify(entry, async () => {
        const principal = await this.callers.find(identity, request.ip);
        if (principal === undefined) throw unauthorized();
        return principal;
      })
    );
  }

  private async prove(request: PlatformRequest): Promise<IdentityClaims> {
    const identity = await this.identities.verify(String(request.headers[IDENTITY_HEADER])).catch(() => {
      throw unauthorized();
    });
    this.proven.set(request, identity);
    return identity;
  }
}
