import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiProperty, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { ERROR_STATUS } from '../../base/kernel/errors.js';
import type { CollectionRight, Permission, WorkspaceRight } from '../../base/kernel/permission.js';

/**
 * What a route requires. Every route states it with `@Requires`; a test fails for a route that does not.
 * - `public`: nothing.
 * - `caller`: `any` credential; a `person` (session or access token); a `session` (first-party JWT only).
 * - `org`: membership in the organization of the path (`:orgSlug`), and the permission unless `member`; `seesPeople`: not
 *   for anonymous members and app users, who do not see who is in the organization.
 * - `product`: an active organization and the permission in it, unless `member`; `everyCollection`: not for a credential
 *   whose scopes narrow it to some collections.
 * - `collection`: the collection of the path (`:collection_id`) is visible, and role and permission include the right;
 *   `setting`: unless this setting is true, the route answers 403 to callers who can see the collection;
 *   `versionCheck`: the route's statements have a version check of the collection, so cached metadata suffices;
 *   `metadata`: the route answers with metadata of the collection and with no record;
 *   `idOnly`: the path accepts only the id of a collection, not its name;
 *   `trash`: `only` a collection in the trash, and callers without the right get 404; `ifPermanent`: with
 *   `?permanent=true` also one in the trash, by its id;
 *   `ifErasing`: with `?erase=true` the route needs this right instead;
 *   `ofRecord`: with `?action=` the route needs this right instead, and answers with metadata; it checks the rest itself.
 * - `forwarded`: any credential; the service behind the gateway decides what it may do. Tokens of other clients and
 *   collection keys are accepted only for the `runtime`.
 * - `workspace`: the workspace of the path (`:workspaceId`) is visible and its role allows the caller this right.
 */
export type Requirement =
  | { readonly public: true }
  | { readonly caller: 'any' | 'person' | 'session' }
  | { readonly org: Permission | 'member'; readonly seesPeople?: true }
  | { readonly product: Permission | 'member'; readonly everyCollection?: true }
  | {
      readonly collection: CollectionRight;
      readonly versionCheck?: true;
      readonly metadata?: true;
      readonly idOnly?: true;
      readonly trash?: 'only' | 'ifPermanent';
      readonly ifErasing?: CollectionRight;
      readonly ofRecord?: 'read';
      readonly setting?: 'ALLOW_BULK_DELETE';
    }
  | { readonly forwarded: 'runtime' | 'service' }
  | { readonly workspace: WorkspaceRight };

export const REQUIREMENT = 'requires';

/**
 * States what the route needs, for the guards and for the OpenAPI description, which also gets the errors that follow
 * from it.
 */
export function Requires(requirement: Requirement): MethodDecorator {
  const documentation =
    'public' in requirement
      ? []
      : [
          ApiBearerAuth('BearerAuth'),
          ApiSecurity('OrgApiKeyAuth'),
          ApiSecurity('SessionCookie'),
          refusal(401, 'The credential is missing, invalid or expired.'),
          refusal(403, 'The caller does not have the required role or permission.'),
          refusal(429, 'Too many requests: wait for the seconds in `Retry-After`.'),
        ];
  if ('collection' in requirement) {
    documentation.push(
      refusal(404, 'There is no collection or record with this id, or the caller cannot see it.'),
    );
  }
  if ('workspace' in requirement && requirement.workspace !== 'list' && requirement.workspace !== 'create') {
    documentation.push(
      refusal(404, 'There is no workspace with this id or slug, or the caller cannot see it.'),
    );
  }
  return applyDecorators(
    SetMetadata(REQUIREMENT, requirement),
    refusal(400, 'The request is malformed; the message names the field and the reason.'),
    ...documentation,
  );
}

/** Documents an error of this route. Errors that all routes of its kind have are added automatically. */
export function Refuses(status: number, description: string): MethodDecorator {
  return refusal(status, description);
}

function refusal(status: number, description: string): MethodDecorator {
  return ApiResponse({ status, description, type: ErrorView });
}

/** The body of every error (spec 2.3). `docs/errors.md` explains the codes. */
export class ErrorView {
  @ApiProperty({ enum: Object.keys(ERROR_STATUS), example: 'InvalidArguments' })
  error: string;

  @ApiProperty({ example: 'limit: expects a whole number from 1 to 100' })
  message: string;

  @ApiProperty({
    required: false,
    description: 'What helps to correct the request, for example the fields that failed.',
    oneOf: [
      { type: 'array', items: {} },
      { type: 'object', additionalProperties: true },
    ],
  })
  details?: unknown;
}
