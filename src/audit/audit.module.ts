import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { AuditTrail } from './audit-trail.service.js';

@Global()
@Module({ providers: [AuditLog, AuditTrail], exports: [AuditLog, AuditTrail] })
export class AuditModule {}
