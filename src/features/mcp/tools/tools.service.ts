import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { loggedFailureOf } from '../../../platform/http/failures.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import type { Collection } from '../../collections/collection.entity.js';
import { schemaOf } from '../protocol/json-schema.js';
import type { ToolResult } from '../protocol/tool-result.js';
import { CollectionTool, type McpSession, type McpTool } from './tool.js';
import { ResultBudget, refused, rendered } from './tool-answer.js';

/** A tool with its two entries in `tools/list`: of /v1/mcp, and of the endpoint of one collection. */
interface ListedTool {
  readonly tool: McpTool;
  readonly everywhere: Tool;
  readonly scoped: Tool;
}

/** Lists the tools of a caller and runs them. */
export class Tools {
  private readonly tools: ReadonlyMap<string, ListedTool>;

  constructor(
    private readonly budget: ResultBudget,
    tools: readonly McpTool[],
  ) {
    this.tools = new Map(
      tools.map(tool => [
        tool.info.name,
        { tool, everywhere: listed(tool), scoped: listed(tool, ['collection_id']) },
      ]),
    );
  }

  /** The tools that the caller's credential may use, always in the same order. */
  list(session: McpSession): Tool[] {
    return [...this.tools.values()]
      .filter(({ tool }) => isOnEndpoint(tool, session) && tool.isOfferedTo(session))
      .map(({ everywhere, scoped }) => (session.access === undefined ? everywhere : scoped));
  }

  /**
   * Runs a tool. Errors of the tool are results, so that the model can correct its arguments. An unknown tool is a
   * protocol error.
   */
  async call(session: McpSession, name: string, sent: object): Promise<ToolResult> {
    const found = this.tools.get(name);
    if (found === undefined || !isOnEndpoint(found.tool, session)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
    }
    try {
      const { tool } = found;
      const own = session.access === undefined ? sent : withCollection(sent, session.access.collection);
      const run = await tool.open(withRights(session, tool, own), own);
      return rendered(await run(() => this.checked(found, own)), this.budget.total);
    } catch (thrown) {
      return refused(loggedFailureOf(thrown, session.call.correlationId), this.budget.total);
    }
  }

  /**
   * As `call`, for tools that end within the time limit of a statement. Undefined for others, whose clients need signs of
   * life meanwhile.
   */
  callOnRecords(session: McpSession, name: string, sent: object): Promise<ToolResult> | undefined {
    const tool = this.tools.get(name)?.tool;
    return tool instanceof CollectionTool && tool.versionCheck ? this.call(session, name, sent) : undefined;
  }

  /** Validates the arguments like a body of REST. Missing arguments come first among the problems. */
  private checked({ tool, everywhere }: ListedTool, sent: object): object {
    const missing = (everywhere.inputSchema.required ?? [])
      .filter(name => (sent as Record<string, unknown>)[name] === undefined)
      .map(field => ({ field, problem: 'is required' }));
    try {
      const args = validated(tool.arguments, sent);
      if (missing.length === 0) return args;
    } catch (error) {
      if (missing.length === 0 || !(error instanceof PlatformError) || !Array.isArray(error.details))
        throw error;
      const others = (error.details as Problem[]).filter(
        ({ field }) => !missing.some(each => each.field === field),
      );
      throw refusalOf([...missing, ...others]);
    }
    throw refusalOf(missing);
  }
}

/**
 * The rights of the route only allow messages. When rights are decided again, the tool must check the caller again too.
 */
function withRights(session: McpSession, tool: McpTool, sent: object): McpSession {
  const { call } = session;
  const rights = call.rights?.and(principal => tool.open({ ...session, call: { ...call, principal } }, sent));
  return { ...session, call: { ...call, rights } };
}

interface Problem {
  readonly field: string;
  readonly problem: string;
}

function refusalOf(problems: readonly Problem[]): PlatformError {
  return invalid(problems.map(({ field, problem }) => `${field}: ${problem}`).join('; '), problems);
}

function isOnEndpoint(tool: McpTool, { access }: McpSession): boolean {
  return access === undefined || tool.ofCollection;
}

function withCollection(sent: object, { id: collectionId, name }: Collection): object {
  const own = (sent as { collection_id?: unknown }).collection_id ?? collectionId;
  if (own !== collectionId && own !== name)
    throw invalid('collection_id: this endpoint serves only one collection. Leave collection_id out');
  return { ...sent, collection_id: collectionId };
}

function listed({ info, arguments: args, answer }: McpTool, without?: readonly string[]): Tool {
  const { name, title, description } = info;
  return {
    name,
    title,
    description,
    inputSchema: { ...schemaOf(args, without), additionalProperties: false } as Tool['inputSchema'],
    outputSchema: schemaOf(answer) as unknown as Tool['outputSchema'],
    annotations: {
      title,
      readOnlyHint: info.readOnly === true,
      destructiveHint: info.destructive === true,
      idempotentHint: info.idempotent === true,
      openWorldHint: false,
    },
  };
}
