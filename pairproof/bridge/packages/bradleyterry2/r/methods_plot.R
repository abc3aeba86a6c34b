
call <- list(quote(BradleyTerry2::plotProportions), win = quote(win), loss = quote(loss), player1 = quote(player1), player2 = quote(player2),
             abilities = quote(abilities), data = quote(data), bin.size = bin.size)
if (!is.null(data$tie)) call$tie <- quote(tie)
if (!is.null(data$at.home1)) { call$at.home1 <- quote(at.home1); call$at.home2 <- quote(at.home2) }
for (name in names(parameters)) call[[name]] <- parameters[[name]]
found <- eval(as.call(call))
list(win = as.numeric(found$win$prop.win), win_bin = as.numeric(found$win$bin.win),
     tie = if (!is.null(found$tie.prop.tie)) as.numeric(found$tie.prop.tie) else numeric(),
     tie_bin = if (!is.null(found$tie.bin.tie)) as.numeric(found$tie.bin.tie) else numeric())
