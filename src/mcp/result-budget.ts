import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { ENVELOPE_BYTES } from './tool-answer.js';

/** How much a tool may say at once, so that its answer fits into a model's context window. */
@Injectable()
export class ResultBudget {
  /** Bytes of a whole answer. */
  readonly total: number;
  /** Bytes of the list in it. */
  readonly list: number;

  constructor({ MCP_MAX_RESULT_BYTES }: Settings) {
    this.total = MCP_MAX_RESULT_BYTES;
    this.list = MCP_MAX_RESULT_BYTES - ENVELOPE_BYTES;
  }
}
