/** Percents in words. Every one says whether it is used or left; what is not known says so. */

/**
 * A whole percent that never rounds to a bound it has not reached: 99.7 used is not 100, 0.2 left is not 0.
 */
export function percent(value) {
  if (value == null) return "unknown";
  if (value > 0 && value < 1) return "<1 %";
  if (value > 99 && value < 100) return ">99 %";
  return `${Math.round(value)} %`;
}

/** With one decimal, for evidence. */
export const exactPercent = (value) => (value == null ? "unknown" : `${Math.round(value * 10) / 10} %`);

export const used = (value) => (value == null ? "use unknown" : `${percent(value)} used`);
export const left = (value) => (value == null ? "left unknown" : `${percent(value)} left`);
