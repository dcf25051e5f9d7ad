/**
 * Titles of refusals by the code of the service. The message of the service, which says more, is shown below the title.
 * `HttpError` is the title of every other code.
 */
export const errors = {
  NetworkError: 'The service cannot be reached',
  Forbidden: 'You may not do this',
  NotFound: 'It does not exist, or you may not see it',
  CollectionNotFound: 'There is no such collection, or you may not see it',
  RecordNotFound: 'There is no such record',
  InvalidArguments: 'The request is not valid',
  TooManyRequests: 'Too many requests: wait a moment',
  ServiceUnavailable: 'The service is busy: try again in a moment',
  HttpError: 'The request was refused',
};
