import type { MapPoint } from '../../shared/locations.ts';

/**
 * A point on land near the centre of each country (ISO 3166-1 alpha-2, and XK for Kosovo) as latitude and longitude in
 * degrees, for addresses of which only the country is known.
 */
const MIDDLES = `
  AD 42.55 1.58   AE 23.9 54.3    AF 33.8 66.0    AG 17.08 -61.8  AI 18.22 -63.05 AL 41.1 20.1    AM 40.3 44.9
  AO -12.3 17.5   AQ -82.0 21.0   AR -35.2 -65.1  AS -14.3 -170.72 AT 47.6 14.1   AU -25.6 134.4  AW 12.51 -69.97
  AX 60.25 20.0   AZ 40.3 47.6    BA 44.2 17.8    BB 13.17 -59.56 BD 23.8 90.2    BE 50.6 4.6     BF 12.3 -1.7
  BG 42.8 25.2    BH 26.05 50.53  BI -3.4 29.9    BJ 9.6 2.3      BL 17.9 -62.83  BM 32.31 -64.75 BN 4.5 114.6
  BO -16.7 -64.7  BQ 12.18 -68.27 BR -10.8 -53.1  BS 24.4 -78.0   BT 27.4 90.4    BV -54.42 3.36  BW -22.2 23.8
  BY 53.5 28.0    BZ 17.2 -88.7   CA 58.5 -101.0  CC -12.14 96.87 CD -2.9 23.6    CF 6.6 20.5     CG -0.8 15.2
  CH 46.8 8.2     CI 7.6 -5.6     CK -21.23 -159.78 CL -35.0 -71.3 CM 5.7 12.7    CN 35.9 103.8   CO 3.9 -73.1
  CR 9.95 -84.2   CU 21.6 -79.0   CV 15.08 -23.63 CW 12.2 -69.0   CX -10.48 105.63 CY 34.95 33.1  CZ 49.8 15.3
  DE 51.1 10.4    DJ 11.7 42.6    DK 56.0 9.3     DM 15.44 -61.36 DO 18.9 -70.5   DZ 28.2 2.6     EC -1.4 -78.4
  EE 58.7 25.5    EG 26.5 29.8    EH 24.2 -13.1   ER 15.4 38.8    ES 40.2 -3.6    ET 8.6 39.6     FI 64.5 26.3
  FJ -17.8 178.0  FK -51.75 -58.7 FM 6.88 158.22  FO 62.17 -7.1   FR 46.6 2.5     GA -0.6 11.8    GB 53.0 -1.5
  GD 12.12 -61.68 GE 42.2 43.5    GF 3.9 -53.2    GG 49.45 -2.58  GH 7.9 -1.2     GI 36.13 -5.35  GL 74.7 -41.4
  GM 13.4 -15.75  GN 10.4 -10.9   GP 16.2 -61.6   GQ 1.7 10.3     GR 39.2 22.2    GS -54.43 -36.6 GT 15.7 -90.4
  GU 13.45 144.78 GW 12.0 -14.9   GY 4.8 -58.97   HK 22.4 114.12  HM -53.1 73.52  HN 14.8 -86.6   HR 45.6 16.2
  HT 19.0 -72.5   HU 47.2 19.4    ID -2.2 113.5   IE 53.2 -8.2    IL 31.0 34.85   IM 54.23 -4.53  IN 22.9 79.6
  IO -7.31 72.42  IQ 33.0 43.7    IR 32.6 54.3    IS 65.0 -18.6   IT 42.8 12.1    JE 49.22 -2.13  JM 18.15 -77.3
  JO 31.2 36.8    JP 36.2 138.2   KE 0.6 37.8     KG 41.5 74.6    KH 12.7 104.9   KI 1.87 -157.4  KM -11.68 43.35
  KN 17.34 -62.76 KP 40.1 127.2   KR 36.4 127.8   KW 29.3 47.6    KY 19.31 -81.25 KZ 48.2 67.3    LA 18.5 103.8
  LB 33.9 35.9    LC 13.9 -60.97  LI 47.15 9.55   LK 7.6 80.7     LR 6.5 -9.3     LS -29.6 28.25  LT 55.3 23.9
  LU 49.77 6.08   LV 56.9 24.9    LY 27.0 18.0    MA 31.9 -6.3    MC 43.74 7.41   MD 47.2 28.5    ME 42.8 19.2
  MF 18.09 -63.06 MG -19.4 46.7   MH 7.11 171.19  MK 41.6 21.7    ML 17.3 -3.5    MM 21.2 96.5    MN 46.8 103.1
  MO 22.15 113.56 MP 15.19 145.75 MQ 14.65 -61.0  MR 20.3 -10.3   MS 16.74 -62.19 MT 35.89 14.44  MU -20.28 57.57
  MV 4.18 73.51   MW -13.2 34.3   MX 23.9 -102.5  MY 4.2 102.2    MZ -17.3 35.5   NA -22.1 17.2   NC -21.3 165.6
  NE 17.4 9.4     NF -29.03 167.95 NG 9.6 8.1     NI 12.85 -85.0  NL 52.2 5.5     NO 61.4 8.8     NP 28.2 83.9
  NR -0.53 166.93 NU -19.05 -169.87 NZ -41.6 172.9 OM 20.6 56.1   PA 8.5 -80.1    PE -9.2 -74.4   PF -17.65 -149.45
  PG -6.4 145.2   PH 12.9 121.4   PK 29.9 69.3    PL 52.1 19.4    PM 46.95 -56.33 PN -24.37 -128.32 PR 18.23 -66.45
  PS 31.95 35.25  PT 39.7 -8.0    PW 7.5 134.57   PY -23.2 -58.4  QA 25.3 51.2    RE -21.13 55.53 RO 45.9 25.0
  RS 44.2 20.8    RU 61.9 96.7    RW -2.0 29.9    SA 24.1 44.6    SB -9.6 160.1   SC -4.68 55.48  SD 16.0 29.9
  SE 62.8 16.7    SG 1.36 103.82  SH -15.95 -5.7  SI 46.1 14.8    SJ 78.8 16.0    SK 48.7 19.5    SL 8.6 -11.8
  SM 43.94 12.46  SN 14.4 -14.5   SO 4.8 45.7     SR 4.1 -55.9    SS 7.3 30.2     ST 0.23 6.6     SV 13.7 -88.9
  SX 18.04 -63.07 SY 35.0 38.5    SZ -26.6 31.5   TC 21.8 -71.75  TD 15.4 18.6    TF -49.35 69.5  TG 8.5 1.0
  TH 15.1 101.0   TJ 38.5 71.0    TK -9.17 -171.82 TL -8.8 125.9  TM 39.1 59.4    TN 34.1 9.6     TO -21.18 -175.2
  TR 39.0 35.2    TT 10.42 -61.25 TV -8.52 179.2  TW 23.8 121.0   TZ -6.3 34.8    UA 49.0 31.4    UG 1.3 32.4
  UM 19.29 166.63 US 39.8 -98.6   UY -32.8 -56.0  UZ 41.8 63.1    VA 41.9 12.45   VC 13.25 -61.2  VE 7.1 -66.2
  VG 18.43 -64.62 VI 17.73 -64.75 VN 16.0 107.9   VU -15.35 166.85 WF -13.28 -176.18 WS -13.62 -172.45 XK 42.6 20.9
  YE 15.9 47.5    YT -12.82 45.15 ZA -29.0 25.1   ZM -13.5 27.8   ZW -19.0 29.9`;

const table = new Map<string, readonly [lat: number, lng: number]>(
  [...MIDDLES.matchAll(/([A-Z]{2}) (\S+) (\S+)/g)].map(([, code = '', lat, lng]) => [code, [Number(lat), Number(lng)]]),
);

/** @param countryCode ISO 3166-1 alpha-2 in upper case */
export const centroidOf = (countryCode: string): readonly [lat: number, lng: number] | undefined =>
  table.get(countryCode);

/** Degrees between the points of the map's grid. */
const GRID = 0.5;

/** The nearest grid point; -180 and 180 are the same meridian. */
export function gridPoint(lat: number, lng: number): { lat: number; lng: number } {
  // Adding zero turns -0 into 0.
  const nearest = (degrees: number): number => Math.round(degrees / GRID) * GRID + 0;
  return { lat: nearest(lat), lng: nearest(lng) === -180 ? 180 : nearest(lng) };
}

/** Sums up places as circles on the grid, largest first. A circle is named after its place with the highest count. */
export function mapPoints(
  counts: Iterable<readonly [{ label: string; lat: number; lng: number }, number]>,
): MapPoint[] {
  const points = new Map<string, MapPoint>();
  // The first place of a circle names it.
  const named = [...counts].sort(([a, some], [b, others]) => others - some || (a.label < b.label ? -1 : 1));
  for (const [{ label, ...place }, count] of named) {
    const { lat, lng } = gridPoint(place.lat, place.lng);
    const before = points.get(`${lat} ${lng}`);
    points.set(`${lat} ${lng}`, before ? { ...before, count: before.count + count } : { lat, lng, label, count });
  }
  return [...points.values()].sort((a, b) => b.count - a.count || a.lat - b.lat || a.lng - b.lng);
}
