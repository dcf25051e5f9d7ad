import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../kernel/principal.js';
import { OrgApiKeys } from '../../orgs/api-keys/org-api-keys.service.js';
import { sentCredential } from '../sent-credential.js';

/** Organization or collection key `iak_…` from `x-platform-api-key`; yields the key, or the principal who owns it. */
@Injectable()
export class OrgApiKeyStrategy extends PassportStrategy(CustomStrategy, 'org-api-key') {
  constructor(private readonly keys: OrgApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw, request.ip)) ?? false;
  }
}
