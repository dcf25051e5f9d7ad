import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../kernel/principal.js';
import { OrgApiKeys } from '../../orgs/api-keys/org-api-keys.service.js';
import { WorkspaceApiKeys } from '../../workspaces/api-keys/workspace-api-keys.service.js';
import { AccessTokens } from '../access-tokens/access-tokens.service.js';
import { People } from '../principals.service.js';
import { sentCredential } from '../sent-credential.js';

/**
 * Access token `at:…`.
 *
 * - Read from: `Authorization: Bearer`.
 * - Proven by: its hash, which is the hash of a token that has not expired.
 * - Yields: the user who minted it.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(CustomStrategy, 'access-token') {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly people: People,
  ) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = await this.tokens.findBySecret(sentCredential(request).raw);
    if (token === undefined) return false;
    const principal = await this.people.ofAccessToken(token);
    if (principal !== undefined) this.tokens.noteUse(token);
    return principal ?? false;
  }
}

/**
 * Key of an organization or a collection, `iak_…`.
 *
 * - Read from: `x-platform-api-key`.
 * - Proven by: its hash, and the address of the client if the key is bound to addresses.
 * - Yields: the key itself, or the user, agent or service account that owns it.
 */
@Injectable()
export class OrgApiKeyStrategy extends PassportStrategy(CustomStrategy, 'org-api-key') {
  constructor(private readonly keys: OrgApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw, request.ip)) ?? false;
  }
}

/**
 * Key of a workspace, `wak_…`.
 *
 * - Read from: `x-platform-api-key`.
 * - Proven by: its hash.
 * - Yields: the key itself.
 */
@Injectable()
export class WorkspaceApiKeyStrategy extends PassportStrategy(CustomStrategy, 'workspace-api-key') {
  constructor(private readonly keys: WorkspaceApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw)) ?? false;
  }
}
