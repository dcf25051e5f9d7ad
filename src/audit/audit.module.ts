import { Global, Module } from '@nestjs/common';
import { AuditChains } from './audit-chains.service.js';
import { AuditCheckpoints } from './audit-checkpoints.service.js';
import { AuditKeys } from './audit-keys.service.js';
import { AuditLog } from './audit-log.js';
import { AuditLogs } from './audit-logs.service.js';
import { AuditPruning } from './audit-pruning.service.js';
import { AuditTrail } from './audit-trail.service.js';
import { AuditVerification } from './audit-verification.service.js';

@Global()
@Module({
  providers: [
    AuditLog,
    AuditTrail,
    AuditLogs,
    AuditChains,
    AuditKeys,
    AuditCheckpoints,
    AuditPruning,
    AuditVerification,
  ],
  exports: [
    AuditLog,
    AuditTrail,
    AuditLogs,
    AuditChains,
    AuditKeys,
    AuditCheckpoints,
    AuditPruning,
    AuditVerification,
  ],
})
export class AuditModule {}
