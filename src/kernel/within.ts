/** What work comes to; where that takes longer than `ms`, what `late` returns or throws. The work goes on. */
export function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout;
  const patience = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, patience.then(late)]).finally(() => clearTimeout(timer));
}
