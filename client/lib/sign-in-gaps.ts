import type { SignInCoverage, SignInGap, SignInSource } from '../../shared/sign-ins.ts';

/** The services that report for an API: Kratos or Hydra. */
export const sourcesOf = ({ sources }: SignInCoverage, api: NonNullable<SignInSource['api']>): SignInSource[] =>
  sources.filter((source) => source.api === api);

/**
 * Times in which reports of an API may be missing, newest first.
 * @param since milliseconds since the epoch; earlier gaps are left out
 */
export const gapsSince = (
  coverage: SignInCoverage,
  api: NonNullable<SignInSource['api']>,
  since: number,
): SignInGap[] =>
  coverage.gaps.filter(
    ({ cause, detail, to }) =>
      Date.parse(to) > since &&
      (cause !== 'silent' || sourcesOf(coverage, api).some(({ service }) => service === detail)),
  );
