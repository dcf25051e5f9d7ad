import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import { shortened } from '../../base/kernel/text.js';
import { AccessStep, type Check, type Route } from './access/access-step.js';
import { FORWARDED, OAUTH_BODY, STREAMED_BODY } from './body/body.decorators.js';
import type { PlatformRequest } from './platform-request.js';
import { propertiesOf } from './validation.pipe.js';

/**
 * Refuses a query string that is malformed, and in a write a parameter that the operation does not know: `?dry_run=true`
 * where `dry_run` belongs into the body must not write. A read ignores unknown parameters unless its DTO refuses them,
 * except `view_as`: an answer to the caller itself must not pass for that of another principal.
 */
@Injectable()
export class QueryStep extends AccessStep {
  checkFor(route: Route): Check | undefined {
    if (route.metadata(STREAMED_BODY) === FORWARDED) return undefined;
    const refuseUnknown = route.metadata(OAUTH_BODY) === true ? () => undefined : unknownRefusedBy(route);
    return request => {
      const start = request.originalUrl.indexOf('?');
      if (start < 0) return undefined;
      if (isMalformed(request.originalUrl, start))
        throw invalid('The query string is not valid percent-encoded UTF-8.');
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || request.query.view_as !== undefined) refuseUnknown(request);
      return undefined;
    };
  }
}

/** The decorators of the route say which parameters it knows, and which of them are properties of its body. */
function unknownRefusedBy(route: Route): (request: PlatformRequest) => undefined {
  const known = namesIn(route.query);
  const ofBody = namesIn(route.body);
  return ({ query }) => {
    const unknown = Object.keys(query).filter(name => !known.has(name));
    if (unknown.length === 0) return undefined;
    const problems = unknown.map(name => ({ field: shortened(name), problem: problemOf(ofBody.has(name)) }));
    const [{ field, problem }] = problems as [(typeof problems)[0]];
    throw invalid(`${field}: ${problem}`, problems.slice(0, MOST_NAMED));
  };
}

/** Maximum number of problems in one error (contract, "Sizes"). */
const MOST_NAMED = 20;

function problemOf(isInBody: boolean): string {
  return isInBody
    ? 'is not a query parameter of this operation: send it as a property of the body'
    : 'is not a query parameter of this operation';
}

function namesIn(dto: Route['query']): ReadonlySet<string> {
  return dto === undefined ? new Set() : propertiesOf(dto);
}

/** Express would replace bytes that it cannot decode, so the text would differ from what was sent. */
function isMalformed(url: string, start: number): boolean {
  if (!url.includes('%', start)) return false;
  try {
    decodeURIComponent(url.slice(start));
    return false;
  } catch {
    return true;
  }
}
