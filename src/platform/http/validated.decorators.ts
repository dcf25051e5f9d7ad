import { Body as NestBody, Query as NestQuery } from '@nestjs/common';
import { ValidationPipe } from './validation.pipe.js';

// Each route names the parameters to validate, because Nest calls a global pipe for every parameter of every request,
// also for those of the path and of custom decorators. A rule of Biome refuses Nest's own decorators.

const validation = new ValidationPipe();

/** The body of the request. If the type of the parameter is a class, the body is validated against it. */
export const Body = () => NestBody(validation);

/** The query of the request, validated against the class that is the type of the parameter. */
export const Query = () => NestQuery(validation);
