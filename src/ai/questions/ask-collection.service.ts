import { Injectable } from '@nestjs/common';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { Clock } from '../../kernel/clock.js';
import { PlatformError } from '../../kernel/errors.js';
import {
  type AggregateData,
  type CollectionSight,
  type DistinctData,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import type { AnswerView } from './ask-collection.dto.js';
import { CollectionSights } from './collection-sights.service.js';
import { PlanRuns } from './plan-runs.service.js';

/** Time limit for reading values during planning. A question that needs values not read by then is refused. */
const LOOKING_MS = 10_000;
/** Longer values are ignored: they are prose, and questions do not quote them. */
const MAX_VALUE_BYTES = 1_000;

/** Answers questions with reads in our own query language and the caller's rights. */
@Injectable()
export class AskCollection {
  constructor(
    private readonly planner: QuestionPlanner,
    private readonly sights: CollectionSights,
    private readonly runs: PlanRuns,
    private readonly analytics: Analytics,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 400 `QueryTimeout`, 429 when the organization's budget is spent, 503 when a language model is unavailable.
   */
  async ask(access: Access, question: string): Promise<AnswerView> {
    const sight = await this.sights.of(access);
    const tools = this.toolsFor(access);
    const first = await this.planner.plan(question, sight, tools);
    const answer = await this.answer(access, sight, first);
    if (!(answer instanceof PlatformError)) return answer;
    if ('refusal' in first || this.planner.repair === undefined) return refused(because(answer));
    const failed = { plan: first.plan, reason: answer.message };
    const second = await this.planner.repair(question, sight, tools, failed);
    const repaired = await this.answer(access, sight, second);
    return repaired instanceof PlatformError ? refused(because(repaired)) : repaired;
  }

  /** The answer, or the error that the plan caused. */
  private async answer(
    access: Access,
    sight: CollectionSight,
    planned: Planned,
  ): Promise<AnswerView | PlatformError> {
    if ('refusal' in planned) return refused(planned.refusal);
    try {
      const { plan, data } = await this.runs.run(access, sight, planned.plan);
      return { answer: planned.say(data), plan, data };
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'InvalidArguments') return error;
      throw error;
    }
  }

  private toolsFor(access: Access): PlanningTools {
    const read = new Map<string, Promise<readonly unknown[]>>();
    const ends = performance.now() + LOOKING_MS;
    return {
      today: this.clock.now(),
      orgId: access.collection.orgId,
      knownValues: async (field, limit) => {
        const inTime = performance.now() < ends;
        const values = read.get(field) ?? (inTime ? this.valuesOf(access, field) : Promise.resolve([]));
        read.set(field, values);
        return (await values).slice(0, limit);
      },
      datesOf: field => this.datesOf(access, field),
    };
  }

  private async datesOf(access: Access, field: string) {
    const steps = (['min', 'max'] as const).map(type => ({
      type,
      input_field: field,
      output_field: type,
    }));
    const { text } = await this.analytics.aggregate(access, { steps });
    const [row] = (JSON.parse(text) as AggregateData).results;
    const { min, max } = row as { min: string | null; max: string | null };
    return min === null || max === null ? undefined : { first: min.slice(0, 10), last: max.slice(0, 10) };
  }

  private async valuesOf(access: Access, field: string): Promise<readonly unknown[]> {
    try {
      const { text } = await this.analytics.distinct(access, { field }, MAX_VALUE_BYTES);
      return (JSON.parse(text) as DistinctData).values;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'QueryTimeout') return [];
      throw error;
    }
  }
}

function refused(why: string): AnswerView {
  return { answer: why, plan: null, data: {} };
}

function because({ message }: PlatformError): string {
  return `This question led to a query that cannot be run: ${message}`;
}
