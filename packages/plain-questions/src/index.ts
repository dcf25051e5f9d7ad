export { sayPlan } from './answers/say-plan.js';
export { type ReadData, tableOf } from './answers/table-of.js';
export { planQuestion } from './plain-questions.js';
export type {
  AggregateData,
  AggregatePlan,
  AggregateStep,
  CountData,
  CountPlan,
  DistinctData,
  NamedRead,
  Plan,
  PlanData,
  Planned,
  QueryPlan,
  Read,
  Say,
  Schema,
  SeveralPlan,
  Tools,
} from './plan.js';
