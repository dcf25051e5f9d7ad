import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailDelivery } from './mail-delivery.service.js';
import { MailOutbox } from './mail-outbox.service.js';
import { OutboxMail } from './outbox-mail.entity.js';

/** Mail for every module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([OutboxMail])],
  providers: [MailOutbox, MailDelivery],
  exports: [MailOutbox],
})
export class MailModule {}
