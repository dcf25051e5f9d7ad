import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import type { PlatformRequest } from './platform-request.js';
import { ErrorView } from './requires.decorator.js';

/**
 * RFC 9110, 8.8.3: `"opaque"`, weak ones `W/"opaque"`. Sticky, so that each character of the header is scanned once.
 */
const NEXT_TAG = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(,|$)/y;

/** The value of a header: any representation, or a list of tags. */
type NamedTags = '*' | readonly { readonly opaque: string; readonly weak: boolean }[];

/**
 * The tags that `If-Match` allows, without quotes; undefined when it allows any. Weak tags never match in this
 * comparison (RFC 9110, 13.1.1). Throws 400.
 */
export function allowedTags(header: string | undefined): readonly string[] | undefined {
  const named = header === undefined ? '*' : namedTags('If-Match', header);
  return named === '*' ? undefined : named.filter(({ weak }) => !weak).map(({ opaque }) => opaque);
}

/**
 * True when `If-None-Match` contains the tag, weak or not (RFC 9110, 13.1.2): the client has the current version.
 * Throws 400.
 */
export function isKnown(tag: string, header: string): boolean {
  const named = namedTags('If-None-Match', header);
  return named === '*' || named.some(({ opaque }) => opaque === tag);
}

/** The entity tags of which a resource must have one for a write to be done; with `not` it must have none of them. */
export interface TagCondition {
  readonly tags: readonly string[];
  readonly not: boolean;
}

/** What `If-Match` and `If-None-Match` require of a write (RFC 9110, 13.2.1); undefined for nothing. Throws 400. */
function tagCondition(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): TagCondition | undefined {
  const tags = allowedTags(ifMatch);
  if (ifNoneMatch === undefined) return tags && { tags, not: false };
  const named = namedTags('If-None-Match', ifNoneMatch);
  // Every resource that exists has a tag, so none is left that it may have.
  if (named === '*') return { tags: [], not: false };
  const refused = named.map(({ opaque }) => opaque);
  if (tags === undefined) return { tags: refused, not: true };
  return { tags: tags.filter(tag => !refused.includes(tag)), not: false };
}

/** Throws 412 unless the tag satisfies the condition. */
export function requireTag(condition: TagCondition | undefined, tag: string): void {
  if (condition !== undefined && condition.tags.includes(tag) === condition.not) throw preconditionFailed();
}

/** 412: usually, the resource was changed after the client read it. */
export function preconditionFailed(): PlatformError {
  return new PlatformError(
    'PreconditionFailed',
    'The resource has changed: its ETag is not in If-Match, or it is in If-None-Match. Nothing was written. Read it again.',
  );
}

function namedTags(name: string, header: string): NamedTags {
  if (header.trim() === '*') return '*';
  const tags: { opaque: string; weak: boolean }[] = [];
  for (let position = 0; position < header.length; position = NEXT_TAG.lastIndex) {
    NEXT_TAG.lastIndex = position;
    const found = NEXT_TAG.exec(header);
    if (found === null) throw malformed(name);
    if (found[2] !== undefined) tags.push({ opaque: found[2], weak: found[1] !== undefined });
  }
  if (tags.length === 0) throw malformed(name);
  return tags;
}

function malformed(name: string): PlatformError {
  return invalid(`${name}: expects * or a list of entity tags in double quotes, such as "4711"`);
}

const TAG = {
  schema: { type: 'string' as const },
  description: 'Identifies this version; every change gives a new value.',
};

/** Parameter: what the request requires of the entity tag when the write is done; undefined for nothing. */
export const Precondition = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<PlatformRequest>();
  return tagCondition(headers['if-match'], headers['if-none-match']);
});

/** Documents a route that responds with an `ETag`, and with 304 when the client has the current version. */
export function Tagged(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` that the client has. The response is 304 if it is still current.',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 304,
      description: 'The version that the client has is still current.',
      headers: { ETag: TAG },
    }),
  );
}

/** Documents a write with a `@Precondition()` parameter. */
export function Guarded(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'The `ETag` that the client has read. The write is done only if it is still current.',
      schema: { type: 'string' },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'Entity tags, or `*`. The write is done only if the resource has none of them.',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 412,
      description:
        'The resource has another `ETag` than `If-Match` or `If-None-Match` requires. Nothing was written.',
      type: ErrorView,
    }),
  );
}
