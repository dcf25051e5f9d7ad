/** Titles of refusals by the code of the service. */
export const errors = {
  NetworkError: 'Le service ne répond pas',
  Forbidden: 'Vous n’avez pas ce droit',
  NotFound: 'Cet élément n’existe pas, ou vous ne pouvez pas le voir',
  CollectionNotFound: 'Cette collection n’existe pas, ou vous ne pouvez pas la voir',
  RecordNotFound: 'Cet enregistrement n’existe pas',
  InvalidArguments: 'La requête n’est pas valable',
  TooManyRequests: 'Trop de requêtes : attendez un instant',
  ServiceUnavailable: 'Le service est occupé : réessayez dans un instant',
  HttpError: 'La requête a été refusée',
};
