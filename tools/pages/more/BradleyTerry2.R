# Beside the help pages: the table of the vignette's section 3.3, and predictions without a school against itself.
library(BradleyTerry2)
table8.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,
  formula = ~ .. + WOR[student] * LAT[..] +
    DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] + STUD[student] * St.Gallen[..] +
    ENG[student] * St.Gallen[..] + FRA[student] * London[..] + FRA[student] * Paris[..] +
    SPA[student] * Barcelona[..] + ITA[student] * London[..] + ITA[student] * Milano[..] +
    SEX[student] * Milano[..],
  refcat = "Stockholm", data = CEMS)
table6.model <- update(table8.model, ~ . - WOR[student] * LAT[..] + WOR[student] * Paris[..] +
  WOR[student] * Milano[..] + WOR[student] * Barcelona[..])
schools <- levels(CEMS$preferences$school1)
students <- data.frame(STUD = "other", ENG = "good", FRA = "good", SPA = "good", ITA = "good", WOR = c("yes", "no"), DEG = "no", SEX = "female")
for (i in seq_len(ncol(students))) students[, i] <- factor(students[, i], levels(CEMS$students[, i]))
newdata <- list(preferences = data.frame(student = factor(rep(c(500, 502), each = 5)),
    school1 = factor(schools[1:5], levels = schools), school2 = factor("Stockholm", levels = schools)),
  students = students, schools = CEMS$schools)
predict(table6.model, newdata = newdata, se.fit = TRUE)
