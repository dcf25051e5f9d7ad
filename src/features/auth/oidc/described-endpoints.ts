import { readFileSync } from 'node:fs';
import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiOperation,
  ApiQuery,
  type ApiQueryOptions,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type fileOfEndpoints from './endpoints.json';

interface Endpoint {
  readonly summary: string;
  readonly query?: ApiQueryOptions[];
  readonly body?: object;
  readonly responses: ApiResponseOptions[];
}

/** What the endpoints of oidc-provider take and answer, as the standards that they follow name it. */
const ENDPOINTS: Record<keyof typeof fileOfEndpoints, Endpoint> = JSON.parse(
  readFileSync(new URL('endpoints.json', import.meta.url), 'utf8'),
);

/** Adds an endpoint of oidc-provider to the OpenAPI document. */
export function Described(name: keyof typeof ENDPOINTS) {
  const { summary, query = [], body, responses } = ENDPOINTS[name];
  return applyDecorators(
    ApiOperation({ summary }),
    ...query.map(parameter => ApiQuery({ type: String, ...parameter })),
    ...(body ? [ApiBody({ schema: body })] : []),
    ...responses.map(response => ApiResponse(response)),
  );
}
