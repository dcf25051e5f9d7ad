import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../kernel/principal.js';
import { AccessTokens } from '../access-tokens/access-tokens.service.js';
import { People } from '../people.service.js';
import { sentCredential } from '../sent-credential.js';

/** Access token `at:…` from `Authorization: Bearer`, found by its hash; yields the user who minted it. */
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
