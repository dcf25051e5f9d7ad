import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../kernel/principal.js';
import { WorkspaceApiKeys } from '../../workspaces/api-keys/workspace-api-keys.service.js';
import { sentCredential } from '../sent-credential.js';

/** Workspace key `wak_…` from `x-platform-api-key`, found by its hash; yields the key itself. */
@Injectable()
export class WorkspaceApiKeyStrategy extends PassportStrategy(CustomStrategy, 'workspace-api-key') {
  constructor(private readonly keys: WorkspaceApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw)) ?? false;
  }
}
