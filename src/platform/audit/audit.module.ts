import { Global, Module } from '@nestjs/common';
import { AuditChains } from './audit-chains.service.js';
import { AuditCheckpoints, AuditKeys } from './audit-checkpoints.service.js';
import { AuditLog } from './audit-log.js';
import { AuditLogs } from './audit-logs.service.js';
import { AuditPruning } from './audit-pruning.service.js';
import { AuditTrail } from './audit-trail.service.js';
import { AuditVerification } from './audit-verification.service.js';
import { QuietLogs } from './quiet-logs.service.js';

/** All of them are used by features and by commands. */
const SERVICES = [
  AuditLog,
  AuditTrail,
  AuditLogs,
  AuditChains,
  AuditKeys,
  AuditCheckpoints,
  AuditPruning,
  AuditVerification,
  QuietLogs,
];

@Global()
@Module({ providers: SERVICES, exports: SERVICES })
export class AuditModule {}
